import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** A puzzle of the self-hosted captcha, as its widget takes it. With another provider there is none (404). */
export const captchaChallenge = endpoint({
  method: 'GET',
  path: '/api/auth/captcha/challenge',
  access: 'public',
  response: z.record(z.string(), z.unknown()),
  errors: ['not_found', 'rate_limited'],
})

/** Marks this session for 10 minutes; the next call that answers `captcha_required` uses the mark up. A token works once. */
export const verifyCaptcha = endpoint({
  method: 'POST',
  path: '/api/auth/verify-captcha',
  access: 'public',
  body: z.object({ captchaToken: z.string().min(1).max(20_000) }),
  response: z.object({ message: z.string() }),
  errors: ['captcha_failed', 'rate_limited'],
})
