import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** A challenge of the self-hosted captcha, in its widget's format. 404 with another provider. */
export const captchaChallenge = endpoint({
  method: 'GET',
  path: '/api/auth/captcha/challenge',
  access: 'public',
  limit: 'captcha_ip',
  response: z.record(z.string(), z.unknown()),
  errors: ['not_found', 'rate_limited'],
})

/** Marks this session as verified for 10 minutes; the next call that answers `captcha_required` uses up the mark. A token works once. */
export const verifyCaptcha = endpoint({
  method: 'POST',
  path: '/api/auth/verify-captcha',
  access: 'public',
  limit: 'captcha_ip',
  body: z.object({ captchaToken: z.string().min(1).max(20_000) }),
  response: z.object({ message: z.string() }),
  errors: ['captcha_failed', 'rate_limited'],
})
