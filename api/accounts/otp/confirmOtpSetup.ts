import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { laterClock } from '#api/platform/clock/laterClock.ts'
import { type DomainError, refusal } from '#api/platform/errors.ts'
import type { KnownDevice } from '../devices/knownDevices.ts'
import { otpAlreadyEnabled } from './beginOtpSetup.ts'
import { findShownSecret } from './findShownSecret.ts'
import { isOtpEnabled } from './isOtpEnabled.ts'
import { codeRefusal, type OtpAccount, otpTables, consumeCode } from './consumeCode.ts'

export interface OtpConfirmation {
  account: OtpAccount
  /** The account's known browser, if the request comes from one. */
  device: KnownDevice | undefined
  sessionKey: string
  secret: string
  token: string
  encryptionKey: string
  /** Real time. */
  now: Date
}

/**
 * Enables the secret that was shown to this session, if the code is correct. It returns the consumed time step, or a refusal
 * instead of throwing it, so that a wrong code counts.
 */
export async function confirmOtpSetup(
  em: EntityManager,
  { account, device, sessionKey, secret, token, encryptionKey, now }: OtpConfirmation,
): Promise<DomainError | { step: number }> {
  if (await isOtpEnabled(em, account)) return otpAlreadyEnabled()
  const stored = await findShownSecret(em, { accountId: account.id, sessionKey, secret, encryptionKey, now })
  if (stored === undefined) {
    return refusal(409, 'otp_setup_expired', 'This setup is no longer valid. Please start again and scan the new QR code.')
  }

  // Compared with the beginning of sessions, which the database dates: a clock behind it would make the authenticator older than them. Read
  // before the code is used, so that this browser has shown it since.
  const { otpEnabledAt } = await query(em).selectNoFrom(laterClock(now).as('otpEnabledAt')).executeTakeFirstOrThrow()
  const code = await consumeCode(em, { account, device, secret, storedSecret: null, token, now })
  if (code.outcome !== 'spent') return codeRefusal(code, { wrong: 'Invalid verification code. Please try again.', now })
  // `consumeCode` has locked the row, so no other request can have enabled another secret.
  await query(em)
    .updateTable(otpTables[account.realm])
    .set({ otpSecret: stored, otpEnabledAt })
    .where('id', '=', account.id)
    .execute()
  await query(em).deleteFrom('otp_setups').where('accountId', '=', account.id).execute()
  return { step: code.step }
}
