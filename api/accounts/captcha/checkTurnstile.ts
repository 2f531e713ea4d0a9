import { z } from 'zod'
import { SECOND } from '#shared/dates.ts'
import { refusal } from '#api/platform/errors.ts'

const SITE_VERIFY = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'
const REQUEST_TIMEOUT = 5 * SECOND

const verdict = z.object({ success: z.boolean() })

export interface TurnstileRequest {
  secretKey: string
  clientAddress: string
  /** Cloudflare's endpoint; replaced by tests. */
  url?: string
}

/** Verifies a token with Cloudflare. @throws 400 `captcha_failed` if Cloudflare does not answer. */
export async function checkTurnstile(
  token: string,
  { secretKey, clientAddress, url = SITE_VERIFY }: TurnstileRequest,
): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ secret: secretKey, response: token, remoteip: clientAddress }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT),
    })
    return verdict.parse(await response.json()).success
  } catch {
    throw refusal(400, 'captcha_failed', 'The verification service could not be reached. Please try again in a moment.')
  }
}
