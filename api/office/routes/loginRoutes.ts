import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/access.ts'
import { auditFailedLogin } from '../administrators/auditFailedLogin.ts'
import { beginHalfLogin } from '../administrators/beginHalfLogin.ts'
import { checkAdministratorPassword } from '../administrators/checkAdministratorPassword.ts'
import { completeHalfLogin } from '../administrators/completeHalfLogin.ts'
import { readLoginTime } from '../administrators/readLoginTime.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { refuseAfterCommit } from '#api/platform/db/refuseAfterCommit.ts'
import { route } from '#api/platform/http/route.ts'
import { countedAs, findKnownDevice, rememberDevice } from '#api/accounts/devices/knownDevices.ts'
import type { Services } from '#api/platform/services.ts'

export function loginRoutes(router: Router, { clock, config, limits }: Pick<Services, 'clock' | 'config' | 'limits'>): void {
  route(
    router,
    contract.adminLogin,
    async ({ em, body, session, clientAddress }) => {
      const device = await findKnownDevice(em, { realm: 'admin', name: body.username, browserToken: session.heldBrowserToken() })
      await limits.count('admin_login_ip', countedAs(device, clientAddress))
      const administrator = await checkAdministratorPassword(em, limits, { ...body, device }).catch(async (error: unknown) => {
        await em.transactional(async (em) => auditFailedLogin(em, { username: body.username, clientAddress, error }))
        throw error
      })
      if (administrator.otpEnabled) {
        const sessionKey = await session.beginAnew()
        await em.transactional((em) => beginHalfLogin(em, { administrator, sessionKey, now: clock.now() }))
        return { requiresOtp: true, message: 'Please enter the code of your authenticator.' }
      }
      const { id: accountId, username } = administrator
      const browserToken = session.browserToken()
      await em.transactional(async (em) => {
        await rememberDevice(em, { realm: 'admin', accountId, browserToken, now: clock.now() })
        recordAudit(em, { actor: `admin:${username}`, action: 'admin.login', target: username, ipAddress: clientAddress })
      })
      await session.signIn(administrator)
      return { requiresOtp: false, message: 'You are logged in.' }
    },
    { transaction: false },
  )

  route(
    router,
    contract.adminVerifyOtp,
    async ({ em, body, session, clientAddress }) => {
      const sessionKey = session.heldKey()
      // Only a right password gives a session a key: strangers on the network of an administrator have none.
      await limits.count('admin_login_ip', sessionKey ?? clientAddress)
      const browser = { sessionKey, browserToken: session.browserToken(), clientAddress }
      const code = { token: body.token, encryptionKey: config.ENCRYPTION_KEY, now: clock.now() }
      const account = await refuseAfterCommit(em, (em) => completeHalfLogin(em, { ...browser, ...code }))
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
