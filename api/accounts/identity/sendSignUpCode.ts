import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { DomainError, refusal } from '#api/platform/errors.ts'
import { mailOwner } from '#api/platform/mail/mailOwner.ts'
import type { Recipient } from '#api/platform/mail/Recipient.ts'
import type { Services } from '#api/platform/services.ts'
import { CODE_LIFE, type CodeCaller, countCode, countRequest, findResendLock, storeCode } from './storeCode.ts'

export const emailTaken = () => refusal(409, 'email_taken', 'This email is already registered. Please log in.')

/**
 * Emails a sign-up code to an address. A newer code replaces an older one. It returns the refusal of an address that has an account, so that
 * a captcha is used up: without one, nobody tries out many addresses.
 */
export async function sendSignUpCode(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs' | 'limits'>,
  { email, language, now, ...caller }: Recipient & { now: Date } & CodeCaller,
): Promise<DomainError | undefined> {
  const request = { email, purpose: 'register' as const, now }
  const secondsLeft = await findResendLock(em, request)
  const account = await query(em).selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
  if (account) {
    await countRequest(em, services.limits, { ...request, ...caller })
    return emailTaken()
  }
  if (secondsLeft > 0) {
    throw new DomainError('code_cooldown', `Please wait ${secondsLeft} seconds before you request another code.`, {
      status: 429,
      retryAfter: secondsLeft,
      details: { secondsLeft: String(secondsLeft) },
    })
  }
  await countCode(em, services.limits, { ...request, ...caller })
  const code = await storeCode(em, { ...request, encryptionKey: services.config.ENCRYPTION_KEY })
  await mailOwner(em, services, {
    to: { email, language },
    subject: 'Your verification code',
    paragraphs: [
      'This is your code to sign up:',
      "It expires in 10 minutes and works once. Didn't request it? Ignore this email.",
    ],
    highlight: code,
    isUrgent: true,
    lifetime: CODE_LIFE,
  })
  return undefined
}
