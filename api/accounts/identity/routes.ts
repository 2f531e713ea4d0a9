import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import * as contract from '#shared/contract/identity.ts'
import * as password from '#shared/contract/password.ts'
import * as sessions from '#shared/contract/sessions.ts'
import { SECOND } from '#shared/dates.ts'
import { ownerOf } from '#api/platform/http/ownerOf.ts'
import type { RequestSession } from '#api/platform/http/RequestSession.ts'
import { type Request, route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { changePassword, checkPasswordChange } from './changePassword.ts'
import { codeDead, findOpenCodes } from './checkMailedCode.ts'
import { checkPassword } from './checkPassword.ts'
import { endOtherSessions, endOwnSession } from './endSessions.ts'
import { hashPassword } from './hashPassword.ts'
import { countedAs, findKnownDevice } from '../devices/knownDevices.ts'
import { storeLanguage } from './storeLanguage.ts'
import { listSessions } from './listSessions.ts'
import { accountCause } from '../proofs/ensureProofKeys.ts'
import { openProofKey } from '../proofs/openProofKey.ts'
import { noteDevice } from '../devices/noteDevice.ts'
import { presentUser } from './presentUser.ts'
import { checkEmailVerified, registerUser } from './registerUser.ts'
import { resetPassword } from './resetPassword.ts'
import { sendResetCode } from './sendResetCode.ts'
import { sendSignUpCode } from './sendSignUpCode.ts'
import { CODE_LIFE } from './storeCode.ts'
import { verifySignUpCode } from './verifySignUpCode.ts'

/** @param signReceipt signs the receipt of a cause at once, if it can (`integrity/register/`). */
export function identityRoutes(
  router: Router,
  services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>,
  signReceipt: (cause: string) => Promise<{ receipt?: string }>,
): void {
  const { clock, config, limits } = services
  const findDevice = (em: EntityManager, email: string, session: RequestSession) =>
    findKnownDevice(em, { realm: 'user', name: email, browserToken: session.heldBrowserToken() })

  /** A known browser of the named account has its own counter; unknown ones are counted by network. */
  const recognize = async ({ em, body, session, clientAddress }: Stranger) => {
    const device = await findDevice(em, body.email, session)
    return { device, countedAs: countedAs(device, clientAddress) }
  }

  route(router, contract.getAuthUser, ({ em, actor }) => presentUser(em, { userId: actor.id, now: clock.now() }))

  route(router, contract.login, {
    recognize,
    prepare: ({ em, body, device, clientAddress, session }) =>
      checkPassword(em, limits, { ...body, device, clientAddress, sessionKey: session.heldKey(), now: clock.now() }),
    async handle({ em, body, session, clientAddress, header, language, afterCommit, prepared: user }) {
      const browser = { browserToken: session.browserToken(), userAgent: header('user-agent'), clientAddress }
      await noteDevice(em, services, { user, ...browser, now: clock.now() })
      // After the email about a new browser, which uses the language stored before this login.
      await storeLanguage(em, { user, language: language() })
      afterCommit(() => session.signIn(user))
      return { email: body.email }
    },
  })

  route(router, contract.logout, async ({ em, actor, session }) => {
    if (actor) await endOwnSession(em, { userId: actor.id, sessionKey: session.key() })
    session.signOut()
    return { message: 'You are logged out.' }
  })

  route(router, contract.sendVerificationCode, async ({ em, body: { email }, session, clientAddress, language }) => {
    const reader = { email, language: language() }
    await sendSignUpCode(em, services, { ...reader, clientAddress, sessionKey: session.heldKey(), now: clock.now() })
    return { message: 'The code is on its way.', expiresInSeconds: CODE_LIFE / SECOND }
  })

  route(router, contract.verifyCode, async ({ em, body, session }) => {
    const shown = { ...body, getSessionKey: () => session.key(), now: clock.now() }
    return (await verifySignUpCode(em, services, shown)) ?? { message: 'Your email is verified.' }
  })

  route(router, contract.register, {
    async prepare({ em, body: { email, password }, session }) {
      const verified = { email, sessionKey: session.heldKey(), now: clock.now() }
      await checkEmailVerified(em, verified)
      return { verified, passwordHash: await hashPassword(password) }
    },
    async handle({ em, body: { email }, session, clientAddress, header, language, afterCommit, prepared }) {
      const { verified, passwordHash } = prepared
      const browser = { browserToken: session.browserToken(), userAgent: header('user-agent'), clientAddress }
      const reader = { email, language: language() }
      const account = await registerUser(em, { ...verified, ...reader, passwordHash, createdAt: clock.productNow() })
      await noteDevice(em, services, { user: { id: account.id, ...reader }, isSignUp: true, ...browser, now: verified.now })
      afterCommit(() => session.signIn(account))
      if (config.register) {
        await openProofKey(em, services, { id: account.id, ...reader })
        afterCommit(() => signReceipt(accountCause(account.id)))
      }
      return { email }
    },
  })

  route(router, password.changePassword, {
    async recognize({ em, actor, session }) {
      const device = await findDevice(em, ownerOf(actor).email, session)
      return { device, countedAs: countedAs(device, actor.id) }
    },
    prepare: ({ em, actor, body, device }) =>
      checkPasswordChange(em, limits, { ...body, userId: actor.id, device, now: clock.now() }),
    async handle({ em, actor, session, clientAddress, afterCommit, prepared }) {
      const browser = { browserToken: session.browserToken(), clientAddress }
      const epoch = await changePassword(em, services, { ...prepared, ...browser, user: ownerOf(actor), now: clock.now() })
      afterCommit(() => session.signIn({ id: actor.id, epoch }))
      return { message: 'Your password is changed.' }
    },
  })

  route(router, password.forgotPassword, {
    recognize,
    async handle({ em, body: { email }, device, session, clientAddress, language }) {
      const reader = { email, language: language() }
      await sendResetCode(em, services, { ...reader, device, clientAddress, sessionKey: session.heldKey(), now: clock.now() })
      return { message: 'If there is an account with this email, a code is on its way.', expiresInSeconds: CODE_LIFE / SECOND }
    },
  })

  route(router, password.resetPassword, {
    recognize,
    async prepare({ em, body: { email, newPassword }, device }) {
      await limits.check('codes_wrong', `reset ${countedAs(device, email)}`)
      // Without a requested code nothing is hashed: invented requests would keep everybody's logins waiting.
      if ((await findOpenCodes(em, { email, purpose: 'reset', device, now: clock.now() })).length === 0) throw codeDead()
      // Before any lookup of the account, so that the response time reveals nothing.
      return hashPassword(newPassword)
    },
    async handle({ em, body: { email, code, token }, device, session, clientAddress, afterCommit, prepared: passwordHash }) {
      const browser = { device, getBrowserToken: () => session.browserToken(), clientAddress }
      const refused = await resetPassword(em, services, { email, code, token, passwordHash, ...browser, now: clock.now() })
      if (refused) return refused
      // The owner may have used up the tries before the reset.
      afterCommit(async () => {
        for (const key of new Set([email, countedAs(device, email)])) {
          await limits.clear('login_failures', key)
          await limits.clear('captcha_login', key)
        }
      })
      return { message: 'Your new password is set. Please log in.' }
    },
  })

  route(router, sessions.listSessions, ({ em, actor, session }) =>
    listSessions(em, { userId: actor.id, sessionKey: session.key() }),
  )

  route(router, sessions.endOtherSessions, async ({ em, actor, session, clientAddress }) => {
    const user = ownerOf(actor)
    const ended = await endOtherSessions(em, { user, sessionKey: session.key(), clientAddress })
    return { message: 'You are logged out everywhere else.', ended }
  })
}

type Stranger = Pick<Request<typeof password.forgotPassword>, 'em' | 'body' | 'session' | 'clientAddress'>
