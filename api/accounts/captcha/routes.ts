import type Router from '@koa/router'
import * as contract from '#shared/contract/captcha.ts'
import { refusal } from '#api/platform/errors.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { drawPuzzle } from './altchaPuzzle.ts'
import { grantCaptchaMark } from './grantCaptchaMark.ts'
import { verifyCaptcha } from './verifyCaptcha.ts'

export function captchaRoutes(router: Router, { clock, config, limits }: Pick<Services, 'clock' | 'config' | 'limits'>): void {
  route(
    router,
    contract.captchaChallenge,
    async ({ clientAddress }) => {
      if (config.CAPTCHA_PROVIDER !== 'altcha') throw refusal(404, 'not_found', 'The captcha comes from another place.')
      await limits.count('captcha_ip', clientAddress)
      return { ...(await drawPuzzle({ encryptionKey: config.ENCRYPTION_KEY, now: clock.now() })) }
    },
    { transaction: false },
  )

  route(
    router,
    contract.verifyCaptcha,
    async ({ em, body, session, clientAddress }) => {
      await limits.count('captcha_ip', clientAddress)
      const solved = await verifyCaptcha(body.captchaToken, { config, clientAddress })
      await grantCaptchaMark(em, { sessionKey: session.key(), solved, now: clock.now() })
      return { message: 'You are verified.' }
    },
    { transaction: false },
  )
}
