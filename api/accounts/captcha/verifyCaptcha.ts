import type { Config } from '#api/platform/config.ts'
import { refusal } from '#api/platform/errors.ts'
import { checkPuzzle } from './altchaPuzzle.ts'
import { checkTurnstile } from './checkTurnstile.ts'

export const captchaFailed = () => refusal(400, 'captcha_failed', 'CAPTCHA verification failed. Please try again.')

/** Checks a token with the configured provider and returns an identifier of the solved captcha. @throws 400 `captcha_failed`. */
export async function verifyCaptcha(
  token: string,
  { config, clientAddress }: { config: Config; clientAddress: string },
): Promise<string> {
  if (config.CAPTCHA_PROVIDER === 'turnstile') {
    const isValid = await checkTurnstile(token, { secretKey: config.CAPTCHA_SECRET_KEY ?? '', clientAddress })
    if (!isValid) throw captchaFailed()
    return `turnstile ${token}`
  }
  const signature = await checkPuzzle(token, { encryptionKey: config.ENCRYPTION_KEY })
  if (!signature) throw captchaFailed()
  return `altcha ${signature}`
}
