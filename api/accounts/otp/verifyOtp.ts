import type { EntityManager } from '@mikro-orm/postgresql'
import { newId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import { type DomainError, refusal } from '#api/platform/errors.ts'
import type { Services } from '#api/platform/services.ts'
import type { OtpRequest } from './enableOtp.ts'
import { codeRefusal } from './consumeCode.ts'
import { consumeUserCode } from './consumeUserCode.ts'

export const otpNotEnabled = () => refusal(409, 'otp_not_enabled', 'The authenticator is not enabled for this account.')

/**
 * Lets the session make one purchase or withdrawal after a correct code or a recovery code. It returns a refusal instead of
 * throwing it, so that a wrong code counts.
 */
export async function verifyOtp(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs'>,
  { user, sessionKey, token, device, clientAddress, now }: OtpRequest,
): Promise<DomainError | undefined> {
  const code = await consumeUserCode(em, services, { user, token, device, clientAddress, now })
  if (!code) return otpNotEnabled()
  if (code.outcome === 'spent' || code.outcome === 'recovered') {
    await query(em).insertInto('step_up_marks').values({ id: newId(), user: user.id, sessionKey, grantedAt: now }).execute()
    return undefined
  }
  if (code.outcome === 'used' && (await renewEnablingMark(em, { userId: user.id, sessionKey, step: code.step, now })))
    return undefined
  return codeRefusal(code, { wrong: 'Invalid OTP code. Please try again.', now })
}

/**
 * Right after enabling, the page asks for a code while the authenticator still shows the enabling one. That code is accepted once
 * more in the same session. It renews the existing mark instead of adding one, so a code still allows one action.
 */
async function renewEnablingMark(
  em: EntityManager,
  { userId, sessionKey, step, now }: { userId: string; sessionKey: string; step: number; now: Date },
): Promise<boolean> {
  const marks = await query(em)
    .updateTable('step_up_marks')
    .set({ grantedAt: now, enabledWithStep: null })
    .where('user', '=', userId)
    .where('sessionKey', '=', sessionKey)
    .where('enabledWithStep', '=', step)
    .where('consumedAt', 'is', null)
    .returning('id')
    .execute()
  return marks.length > 0
}
