import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'
import { type DomainError, refusal } from '#api/platform/errors.ts'
import type { KnownDevice } from '../devices/knownDevices.ts'
import { otpAlreadyEnabled } from './beginOtpSetup.ts'
import { decryptSecret } from './encryptSecret.ts'
import { isOtpEnabled } from './isOtpEnabled.ts'
import { codeRefusal, type OtpAccount, otpTables, spendCode } from './spendCode.ts'

export interface OtpConfirmation {
  account: OtpAccount
  /** The account's known browser that shows the code. */
  device: KnownDevice | undefined
  sessionKey: string
  secret: string
  token: string
  encryptionKey: string
  /** Real time. */
  now: Date
}

/**
 * Gives the account the secret that was shown to this session, for one of its codes. Answers a refusal instead of throwing it, so
 * that a wrong code counts; otherwise the time step that was used up.
 */
export async function confirmOtpSetup(
  em: EntityManager,
  { account, device, sessionKey, secret, token, encryptionKey, now }: OtpConfirmation,
): Promise<DomainError | { step: number }> {
  if (await isOtpEnabled(em, account)) return otpAlreadyEnabled()
  const [setup] = await sql<{ secret: string }>(
    em,
    'select secret from otp_setups where account_id = $1 and session_key = $2 and expires_at > $3',
    [account.id, sessionKey, now],
  )
  const shown = setup && decryptSecret(setup.secret, { encryptionKey, owner: account.id })
  if (!shown || shown !== secret) {
    return refusal(409, 'otp_setup_expired', 'This setup is no longer valid. Please start again and scan the new QR code.')
  }

  const code = await spendCode(em, { account, device, secret: shown, storedSecret: null, token, now })
  if (code.outcome !== 'spent') return codeRefusal(code, { wrong: 'Invalid verification code. Please try again.', now })
  // The row is ours since the code was spent: nobody can have enabled another secret in between.
  await sql(em, `update ${otpTables[account.realm]} set otp_secret = $2, otp_enabled_at = $3 where id = $1`, [
    account.id,
    setup.secret,
    now,
  ])
  await sql(em, 'delete from otp_setups where account_id = $1', [account.id])
  return { step: code.step }
}
