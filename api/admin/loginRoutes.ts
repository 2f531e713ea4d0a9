import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/access.ts'
import { auditFailedLogin } from '../administrators/auditFailedLogin.ts'
import { beginHalfLogin } from '../administrators/beginHalfLogin.ts'
import { checkAdministratorPassword } from '../administrators/checkAdministratorPassword.ts'
import { completeHalfLogin } from '../administrators/completeHalfLogin.ts'
import { readLoginTime } from '../administrators/readLoginTime.ts'
import { recordAudit } from '../audit/recordAudit.ts'
import { refuseAfterCommit } from '../db/refuseAfterCommit.ts'
import { route } from '../http/route.ts'
import type { Services } from '../services.ts'

export function loginRoutes(router: Router, { clock, config, limits }: Services): void {
  route(
    router,
    contract.adminLogin,
    async ({ em, body, session, clientAddress }) => {
      await limits.count('admin_login_ip', clientAddress)
      const administrator = await checkAdministratorPassword(em, limits, body).catch(async (error: unknown) => {
        await em.transactional(async (em) => auditFailedLogin(em, { username: body.username, clientAddress, error }))
        throw error
      })
      if (administrator.otpEnabled) {
        const sessionKey = await session.beginAnew()
        await em.transactional((em) => beginHalfLogin(em, { administrator, sessionKey, now: clock.now() }))
        return { requiresOtp: true, message: 'Please enter the code of your authenticator.' }
      }
      await em.transactional(async (em) =>
        recordAudit(em, {
          actor: `admin:${administrator.username}`,
          action: 'admin.login',
          target: administrator.username,
          ipAddress: clientAddress,
        }),
      )
      await session.signIn(administrator)
      return { requiresOtp: false, message: 'You are logged in.' }
    },
    { transaction: false },
  )

  route(
    router,
    contract.adminVerifyOtp,
    async ({ em, body, session, clientAddress }) => {
      await limits.count('admin_login_ip', clientAddress)
      const code = { token: body.token, sessionKey: session.heldKey(), encryptionKey: config.ENCRYPTION_KEY, clientAddress }
      const account = await refuseAfterCommit(em, (em) => completeHalfLogin(em, { ...code, now: clock.now() }))
      await session.signIn(account)
      return { message: 'You are logged in.' }
    },
    { transaction: false },
  )

  route(router, contract.adminLogout, async ({ em, actor, session, clientAddress }) => {
    session.signOut()
    if (actor) recordAudit(em, { actor: `admin:${actor.name}`, action: 'admin.logout', ipAddress: clientAddress })
    return { message: 'You are logged out.' }
  })

  route(
    router,
    contract.adminLoginStatus,
    async ({ em, actor, session }) => ({
      isLoggedIn: actor !== undefined,
      loginTime: actor ? await readLoginTime(em, { administratorId: actor.id, sessionKey: session.key() }) : null,
      username: actor?.name ?? null,
    }),
    { transaction: false },
  )

  route(router, contract.getAdminUser, ({ actor }) => ({ username: actor.name, adminId: actor.id }), { transaction: false })
}
