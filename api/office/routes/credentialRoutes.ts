import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/login.ts'
import { auditFailedLogin } from '../administrators/auditFailedLogin.ts'
import { changeCredentials } from '../administrators/changeCredentials.ts'
import { checkAdministratorPassword } from '../administrators/checkAdministratorPassword.ts'
import { route } from '#api/platform/http/route.ts'
import { hashPassword } from '#api/accounts/identity/hashPassword.ts'
import { countedAs, findKnownDevice, rememberDevice } from '#api/accounts/devices/knownDevices.ts'
import type { Services } from '#api/platform/services.ts'

export function credentialRoutes(router: Router, { clock, limits }: Pick<Services, 'clock' | 'limits'>): void {
  route(router, contract.getAdminCredentials, ({ actor }) => ({ username: actor.name }))

  route(router, contract.changeAdminCredentials, {
    outlivesSession: true,
    async recognize({ em, actor, session }) {
      const device = await findKnownDevice(em, { realm: 'admin', name: actor.name, browserToken: session.heldBrowserToken() })
      return { device, countedAs: countedAs(device, actor.id) }
    },
    async prepare({ em, actor, body: { currentPassword, newPassword }, device, clientAddress }) {
      const given = { username: actor.name, password: currentPassword, device }
      const wrong = 'The current password is incorrect.'
      const administrator = await checkAdministratorPassword(em, limits, given, wrong).catch(async (error: unknown) => {
        await em.transactional(async (em) => auditFailedLogin(em, { username: actor.name, clientAddress, error }))
        throw error
      })
      const isKnownDevice = device !== undefined
      return {
        administrator,
        passwordHash: newPassword === undefined ? undefined : await hashPassword(newPassword, { isKnownDevice }),
      }
    },
    async handle({ em, actor, session, body, clientAddress, afterCommit, prepared: { administrator, passwordHash } }) {
      const username = body.newUsername ?? administrator.username
      const account = await changeCredentials(em, { administrator, username, passwordHash, clientAddress })
      const browser = { browserToken: session.browserToken(), hasRaisedEpoch: true }
      await rememberDevice(em, { realm: 'admin', accountId: actor.id, ...browser, now: clock.now() })
      afterCommit(() => session.signIn(account))
      return { message: 'The credentials are changed.', username }
    },
  })
}
