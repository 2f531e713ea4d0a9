import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import * as contract from '#shared/contract/identity.ts'
import * as password from '#shared/contract/password.ts'
import * as sessions from '#shared/contract/sessions.ts'
import { SECOND } from '#shared/dates.ts'
import { refuseAfterCommit } from '#api/platform/db/refuseAfterCommit.ts'
import { ownerOf } from '#api/platform/http/ownerOf.ts'
import type { RequestSession } from '#api/platform/http/RequestSession.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { changePassword } from './changePassword.ts'
import { checkPassword } from './checkPassword.ts'
import { endOtherSessions, endOwnSession } from './endSessions.ts'
import { hashPassword } from './hashPassword.ts'
import { countedAs, findKnownDevice } from '../devices/knownDevices.ts'
import { keepLanguage } from './keepLanguage.ts'
import { listSessions } from './listSessions.ts'
import { noteDevice } from '../devices/noteDevice.ts'
import { presentUser } from './presentUser.ts'
import { checkEmailVerified, registerUser } from './registerUser.ts'
import { resetPassword } from './resetPassword.ts'
import { sendResetCode } from './sendResetCode.ts'
import { sendSignUpCode } from './sendSignUpCode.ts'
import { CODE_LIFE } from './storeCode.ts'
import { verifySignUpCode } from './verifySignUpCode.ts'

export function identityRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>): void {
  const { clock, limits } = services
  const findDevice = (em: EntityManager, email: string, session: RequestSession) =>
    findKnownDevice(em, { realm: 'user', name: email, browserToken: session.heldBrowserToken() })

  route(router, contract.getAuthUser, ({ em, actor }) => presentUser(em, actor.id), { transaction: false })

  route(
    router,
    contract.login,
    async ({ em, body, session, clientAddress, header, language }) => {
      const device = await findDevice(em, body.email, session)
      await limits.count('login_ip', countedAs(device, clientAddress))
      const now = clock.now()
      const account = await checkPassword(em, limits, { ...body, device, clientAddress, sessionKey: session.heldKey(), now })
      const browser = { user: account, browserToken: session.browserToken(), userAgent: header('user-agent'), clientAddress, now }
      await em.transactional(async (em) => {
        await noteDevice(em, services, browser)
        // After the mail about a new browser: its owner reads that one, whoever has logged in.
        await keepLanguage(em, { user: account, language: language() })
      })
      await session.signIn(account)
      return { email: body.email }
    },
    { transaction: false },
  )

  route(
    router,
    contract.logout,
    async ({ em, actor, session }) => {
      if (actor) await em.transactional((em) => endOwnSession(em, { userId: actor.id, sessionKey: session.key() }))
      session.signOut()
      return { message: 'You are logged out.' }
    },
    { transaction: false },
  )

  route(router, contract.sendVerificationCode, async ({ em, body: { email }, session, clientAddress, language }) => {
    await limits.count('codes_sent_ip', clientAddress)
    const reader = { email, language: language() }
    await sendSignUpCode(em, services, { ...reader, clientAddress, sessionKey: session.heldKey(), now: clock.now() })
    return { message: 'The code is on its way.', expiresInSeconds: CODE_LIFE / SECOND }
  })

  route(
    router,
    contract.verifyCode,
    async ({ em, body, session }) => {
      const shown = { ...body, drawSessionKey: () => session.key(), now: clock.now() }
      await refuseAfterCommit(em, (em) => verifySignUpCode(em, services, shown))
      return { message: 'Your email is verified.' }
    },
    { transaction: false },
  )

  route(
    router,
    contract.register,
    async ({ em, body: { email, password }, session, clientAddress, header, language }) => {
      await limits.count('register_ip', clientAddress)
      const verified = { email, sessionKey: session.heldKey(), now: clock.now() }
      await checkEmailVerified(em, verified)
      const passwordHash = await hashPassword(password)
      const browser = { browserToken: session.browserToken(), userAgent: header('user-agent'), clientAddress }
      const account = await em.transactional(async (em) => {
        const reader = { email, language: language() }
        const account = await registerUser(em, { ...verified, ...reader, passwordHash, createdAt: clock.productNow() })
        await noteDevice(em, services, { user: { id: account.id, ...reader }, ...browser, now: verified.now })
        return account
      })
      await session.signIn(account)
      return { email }
    },
    { transaction: false },
  )

  route(
    router,
    password.changePassword,
    async ({ em, actor, body, session, clientAddress }) => {
      const user = ownerOf(actor)
      const device = await findDevice(em, user.email, session)
      const browser = { device, browserToken: session.browserToken(), clientAddress }
      const epoch = await changePassword(em, services, { ...body, ...browser, user, now: clock.now() })
      await session.signIn({ id: actor.id, epoch })
      return { message: 'Your password is changed.' }
    },
    { transaction: false },
  )

  route(router, password.forgotPassword, async ({ em, body: { email }, session, clientAddress, language }) => {
    const device = await findDevice(em, email, session)
    await limits.count('codes_sent_ip', countedAs(device, clientAddress))
    const reader = { email, language: language() }
    await sendResetCode(em, services, { ...reader, device, clientAddress, sessionKey: session.heldKey(), now: clock.now() })
    return { message: 'If there is an account with this email, a code is on its way.', expiresInSeconds: CODE_LIFE / SECOND }
  })

  route(
    router,
    password.resetPassword,
    async ({ em, body: { email, code, token, newPassword }, session, clientAddress }) => {
      const device = await findDevice(em, email, session)
      await limits.count('reset_ip', countedAs(device, clientAddress))
      const counted = countedAs(device, email)
      await limits.check('codes_wrong', `reset ${counted}`)
      // Before anything is known, so that the time tells nothing, and outside of the transaction, because it takes long.
      const passwordHash = await hashPassword(newPassword)
      const browser = { device, drawBrowserToken: () => session.browserToken(), clientAddress }
      const reset = { email, code, token, passwordHash, ...browser, now: clock.now() }
      await refuseAfterCommit(em, (em) => resetPassword(em, services, reset))
      // Whoever forgot the password has guessed before.
      for (const key of new Set([email, counted])) {
        await limits.clear('login_failures', key)
        await limits.clear('captcha_login', key)
      }
      return { message: 'Your new password is set. Please log in.' }
    },
    { transaction: false },
  )

  route(
    router,
    sessions.listSessions,
    ({ em, actor, session }) => listSessions(em, { userId: actor.id, sessionKey: session.key() }),
    { transaction: false },
  )

  route(router, sessions.endOtherSessions, async ({ em, actor, session, clientAddress }) => {
    const user = ownerOf(actor)
    const ended = await endOtherSessions(em, { user, sessionKey: session.key(), clientAddress })
    return { message: 'You are logged out everywhere else.', ended }
  })
}
