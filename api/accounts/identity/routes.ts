import type Router from '@koa/router'
import * as contract from '#shared/contract/identity.ts'
import * as sessions from '#shared/contract/sessions.ts'
import { SECOND } from '#shared/dates.ts'
import { ownerOf } from '#api/platform/http/ownerOf.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { checkPassword } from './checkPassword.ts'
import { endOtherSessions, endOwnSession } from './endSessions.ts'
import { hashPassword } from './hashPassword.ts'
import { storeLanguage } from './storeLanguage.ts'
import { listSessions } from './listSessions.ts'
import { accountCause } from '../proofs/ensureProofKeys.ts'
import { openProofKey } from '../proofs/openProofKey.ts'
import { noteDevice } from '../devices/noteDevice.ts'
import { presentUser } from './presentUser.ts'
import { recognizeBrowser } from './recognizeBrowser.ts'
import { checkEmailVerified, registerUser } from './registerUser.ts'
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

  route(router, contract.getAuthUser, ({ em, actor }) => presentUser(em, clock, actor.id))

  route(router, contract.login, {
    recognize: recognizeBrowser,
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
    const recipient = { email, language: language() }
    const caller = { clientAddress, sessionKey: session.heldKey(), now: clock.now() }
    const refused = await sendSignUpCode(em, services, { ...recipient, ...caller })
    return refused ?? { message: 'The code is on its way.', expiresInSeconds: CODE_LIFE / SECOND }
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
      const recipient = { email, language: language() }
      const account = await registerUser(em, { ...verified, ...recipient, passwordHash, createdAt: clock.productNow() })
      await noteDevice(em, services, { user: { id: account.id, ...recipient }, isSignUp: true, ...browser, now: verified.now })
      afterCommit(() => session.signIn(account))
      if (config.register) {
        await openProofKey(em, services, { id: account.id, ...recipient })
        afterCommit(() => signReceipt(accountCause(account.id)))
      }
      return { email }
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
