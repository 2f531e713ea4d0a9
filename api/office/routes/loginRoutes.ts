import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/login.ts'
import * as passkeys from '#shared/contract/admin/passkeys.ts'
import { auditFailedLogin } from '../administrators/auditFailedLogin.ts'
import { beginHalfLogin } from '../administrators/beginHalfLogin.ts'
import { checkAdministratorPassword } from '../administrators/checkAdministratorPassword.ts'
import { completeHalfLogin, completeHalfLoginByPasskey, offerPasskeysAfterPassword } from '../administrators/completeHalfLogin.ts'
import { readSecondFactors } from '../administrators/readSecondFactors.ts'
import { readLoginTime } from '../administrators/readLoginTime.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { DomainError } from '#api/platform/errors.ts'
import type { RequestSession } from '#api/platform/http/RequestSession.ts'
import { route } from '#api/platform/http/route.ts'
import { countedAs, findKnownDevice, rememberDevice } from '#api/accounts/devices/knownDevices.ts'
import { signInByPasskey } from '#api/accounts/passkeys/signInByPasskey.ts'
import type { Services } from '#api/platform/services.ts'

export function loginRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits' | 'orm'>): void {
  const { clock, config, limits } = services
  /** The session has a key only after a correct password, so unknown callers on an administrator's network have none. */
  const recognizeHalfLogin = async ({ session, clientAddress }: { session: RequestSession; clientAddress: string }) => ({
    countedAs: session.heldKey() ?? clientAddress,
  })

  route(router, contract.adminLogin, {
    async recognize({ em, body, session, clientAddress }) {
      const device = await findKnownDevice(em, { realm: 'admin', name: body.username, browserToken: session.heldBrowserToken() })
      return { device, countedAs: countedAs(device, clientAddress) }
    },
    async prepare({ em, body, device, session, clientAddress }) {
      await limits.count('admin_login_site', countedAs(device, clientAddress))
      const administrator = await checkAdministratorPassword(em, limits, { ...body, device }).catch(async (error: unknown) => {
        await em.transactional(async (em) => auditFailedLogin(em, { username: body.username, clientAddress, error }))
        throw error
      })
      const { factors } = await readSecondFactors(em, administrator.id)
      return { administrator, factors, halfLoginKey: factors.length > 0 ? await session.beginAnew() : undefined }
    },
    async handle({ em, session, clientAddress, afterCommit, prepared: { administrator, factors, halfLoginKey } }) {
      const now = clock.now()
      if (halfLoginKey !== undefined) {
        await beginHalfLogin(em, { administrator, sessionKey: halfLoginKey, clientAddress, now })
        return { requiresOtp: true, factors, message: secondStepOf(factors) }
      }
      const { id: accountId, username, epoch } = administrator
      await rememberDevice(em, { realm: 'admin', accountId, epoch, browserToken: session.browserToken(), now })
      recordAudit(em, { actor: `admin:${username}`, action: 'admin.login', target: username, ipAddress: clientAddress })
      afterCommit(() => session.signIn(administrator))
      return { requiresOtp: false, factors, message: 'You are logged in.' }
    },
  })

  route(router, contract.adminVerifyOtp, {
    recognize: recognizeHalfLogin,
    async handle({ em, body, session, clientAddress, afterCommit }) {
      const browser = { sessionKey: session.heldKey(), browserToken: session.browserToken(), clientAddress }
      const code = { token: body.token, encryptionKey: config.ENCRYPTION_KEY, now: clock.now() }
      const account = await completeHalfLogin(em, { ...browser, ...code })
      if (account instanceof DomainError) return account
      afterCommit(() => session.signIn(account))
      return { message: 'You are logged in.' }
    },
  })

  route(router, passkeys.beginAdminPasskeyLogin, {
    recognize: recognizeHalfLogin,
    handle: ({ em, session }) => offerPasskeysAfterPassword(em, services, { sessionKey: session.heldKey(), now: clock.now() }),
  })

  route(router, passkeys.loginAdminByPasskey, {
    recognize: recognizeHalfLogin,
    async handle({ em, body, session, clientAddress, afterCommit }) {
      const browser = { sessionKey: session.heldKey(), browserToken: session.browserToken(), clientAddress }
      const account = await completeHalfLoginByPasskey(em, services, { ...browser, answer: body.passkey, now: clock.now() })
      if (account instanceof DomainError) return account
      const login = { realm: 'admin', ...account, credentialId: body.passkey.id } as const
      afterCommit(() => signInByPasskey(services, session, login))
      return { message: 'You are logged in.' }
    },
  })

  route(router, contract.adminLogout, async ({ em, actor, session, clientAddress }) => {
    session.signOut()
    if (actor) recordAudit(em, { actor: `admin:${actor.name}`, action: 'admin.logout', ipAddress: clientAddress })
    return { message: 'You are logged out.' }
  })

  route(router, contract.adminLoginStatus, async ({ em, actor, session }) => ({
    isLoggedIn: actor !== undefined,
    loginTime: actor ? await readLoginTime(em, { administratorId: actor.id, sessionKey: session.key() }) : null,
    username: actor?.name ?? null,
    role: actor?.role ?? null,
  }))

  route(router, contract.getAdminUser, ({ actor }) => ({ username: actor.name, adminId: actor.id, role: actor.role }))
}

function secondStepOf(factors: readonly string[]): string {
  if (!factors.includes('passkey')) return 'Please enter the code of your authenticator.'
  return factors.includes('code')
    ? 'Please use a passkey or enter the code of your authenticator.'
    : 'Please use one of your passkeys.'
}
