import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/access.ts'
import { auditFailedLogin } from '../administrators/auditFailedLogin.ts'
import { changeCredentials } from '../administrators/changeCredentials.ts'
import { checkAdministratorPassword } from '../administrators/checkAdministratorPassword.ts'
import { route } from '../http/route.ts'
import { hashPassword } from '../identity/hashPassword.ts'
import type { Services } from '../services.ts'

export function credentialRoutes(router: Router, { limits }: Services): void {
  route(router, contract.getAdminCredentials, ({ actor }) => ({ username: actor.name }), { transaction: false })

  route(
    router,
    contract.changeAdminCredentials,
    async ({ em, actor, session, body: { currentPassword, newUsername, newPassword }, clientAddress }) => {
      const given = { username: actor.name, password: currentPassword }
      const wrong = 'The current password is not right.'
      const administrator = await checkAdministratorPassword(em, limits, given, wrong).catch(async (error: unknown) => {
        await em.transactional(async (em) => auditFailedLogin(em, { username: actor.name, clientAddress, error }))
        throw error
      })
      const username = newUsername ?? administrator.username
      const passwordHash = newPassword === undefined ? undefined : await hashPassword(newPassword)
      const account = await em.transactional((em) =>
        changeCredentials(em, { administrator, username, passwordHash, clientAddress }),
      )
      await session.signIn(account)
      return { message: 'The credentials are changed.', username }
    },
    { transaction: false },
  )
}
