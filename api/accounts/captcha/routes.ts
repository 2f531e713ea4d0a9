import type Router from '@koa/router'
import * as contract from '#shared/contract/captcha.ts'
import { refusal } from '#api/platform/errors.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { createPuzzle } from './altchaPuzzle.ts'
import { grantCaptchaMark } from './grantCaptchaMark.ts'
import { verifyCaptcha } from './verifyCaptcha.ts'

export function captchaRoutes(router: Router, { clock, config }: Pick<Services, 'clock' | 'config'>): void {
  route(router, contract.captchaChallenge, async () => {
    if (config.CAPTCHA_PROVIDER !== 'altcha') throw refusal(404, 'not_found', 'The captcha comes from another place.')
    return { ...(await createPuzzle({ encryptionKey: config.ENCRYPTION_KEY, now: clock.now() })) }
  })

  route(router, contract.verifyCaptcha, {
    prepare: ({ body, clientAddress }) => verifyCaptcha(body.captchaToken, { config, clientAddress }),
    async handle({ em, session, prepared: solved }) {
      await grantCaptchaMark(em, { sessionKey: session.key(), solved, now: clock.now() })
      return { message: 'You are verified.' }
    },
  })
}
