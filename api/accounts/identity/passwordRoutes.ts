import type Router from '@koa/router'
import * as contract from '#shared/contract/password.ts'
import { SECOND } from '#shared/dates.ts'
import { ownerOf } from '#api/platform/http/ownerOf.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { countedAs } from '../devices/knownDevices.ts'
import { changePassword, checkPasswordChange } from './changePassword.ts'
import { codeNoLongerValid, findOpenCodes } from './checkMailedCode.ts'
import { hashPassword } from './hashPassword.ts'
import { findOwnDevice, recognizeBrowser } from './recognizeBrowser.ts'
import { resetPassword } from './resetPassword.ts'
import { sendResetCode } from './sendResetCode.ts'
import { CODE_LIFE } from './storeCode.ts'

export function passwordRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>): void {
  const { clock, limits } = services

  route(router, contract.changePassword, {
    outlivesSession: true,
    async recognize({ em, actor, session }) {
      const device = await findOwnDevice(em, ownerOf(actor).email, session)
      return { device, countedAs: countedAs(device, actor.id) }
    },
    prepare: ({ em, actor, body, device }) => checkPasswordChange(em, services, { ...body, userId: actor.id, device }),
    async handle({ em, actor, session, clientAddress, afterCommit, prepared }) {
      const browser = { browserToken: session.browserToken(), clientAddress }
      const epoch = await changePassword(em, services, { ...prepared, ...browser, user: ownerOf(actor), now: clock.now() })
      afterCommit(() => session.signIn({ id: actor.id, epoch }))
      return { message: 'Your password is changed.' }
    },
  })

  route(router, contract.forgotPassword, {
    recognize: recognizeBrowser,
    async handle({ em, body: { email }, device, session, clientAddress, language }) {
      const recipient = { email, language: language() }
      await sendResetCode(em, services, { ...recipient, device, clientAddress, sessionKey: session.heldKey(), now: clock.now() })
      return { message: 'If there is an account with this email, a code is on its way.', expiresInSeconds: CODE_LIFE / SECOND }
    },
  })

  route(router, contract.resetPassword, {
    recognize: recognizeBrowser,
    async prepare({ em, body: { email, newPassword }, device }) {
      await limits.check('codes_wrong', `reset ${countedAs(device, email)}`)
      // Without a requested code nothing is hashed: invented requests would keep everybody's logins waiting.
      if ((await findOpenCodes(em, { email, purpose: 'reset', device, now: clock.now() })).length === 0) throw codeNoLongerValid()
      // Before any lookup of the account, so that the response time reveals nothing.
      return hashPassword(newPassword, { isKnownDevice: device !== undefined })
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
}
