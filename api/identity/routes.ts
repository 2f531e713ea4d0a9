import type Router from '@koa/router'
import * as contract from '#shared/contract/identity.ts'
import { SECOND } from '#shared/dates.ts'
import { refuseAfterCommit } from '../db/refuseAfterCommit.ts'
import { route } from '../http/route.ts'
import type { Services } from '../services.ts'
import { checkPassword } from './checkPassword.ts'
import { hashPassword } from './hashPassword.ts'
import { presentUser } from './presentUser.ts'
import { checkEmailVerified, registerUser } from './registerUser.ts'
import { CODE_LIFE, sendSignUpCode } from './sendSignUpCode.ts'
import { verifySignUpCode } from './verifySignUpCode.ts'

export function identityRoutes(router: Router, services: Services): void {
  const { clock, limits } = services

  route(router, contract.getAuthUser, ({ em, actor }) => presentUser(em, actor.id), { transaction: false })

  route(
    router,
    contract.login,
    async ({ em, body, session, clientAddress }) => {
      await limits.count('login_ip', clientAddress)
      await session.signIn(await checkPassword(em, limits, body))
      return { email: body.email }
    },
    { transaction: false },
  )

  route(
    router,
    contract.logout,
    ({ session }) => {
      session.signOut()
      return { message: 'You are logged out.' }
    },
    { transaction: false },
  )

  route(router, contract.sendVerificationCode, async ({ em, body, clientAddress }) => {
    await limits.count('codes_sent_ip', clientAddress)
    await sendSignUpCode(em, services, { email: body.email, now: clock.now() })
    return { message: 'The code is on its way.', expiresInSeconds: CODE_LIFE / SECOND }
  })

  route(
    router,
    contract.verifyCode,
    async ({ em, body, session }) => {
      const sessionKey = session.key()
      await refuseAfterCommit(em, (em) => verifySignUpCode(em, services, { ...body, sessionKey, now: clock.now() }))
      return { message: 'Your email is verified.' }
    },
    { transaction: false },
  )

  route(
    router,
    contract.register,
    async ({ em, body: { email, password }, session, clientAddress }) => {
      await limits.count('register_ip', clientAddress)
      const verified = { email, sessionKey: session.key(), now: clock.now() }
      await checkEmailVerified(em, verified)
      const passwordHash = await hashPassword(password)
      const account = await em.transactional((em) =>
        registerUser(em, { ...verified, passwordHash, createdAt: clock.productNow() }),
      )
      await session.signIn(account)
      return { email }
    },
    { transaction: false },
  )
}
