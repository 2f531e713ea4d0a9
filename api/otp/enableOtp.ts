import type { EntityManager } from '@mikro-orm/postgresql'
import { otpStatus } from '#shared/contract/otp.ts'
import { recordAudit } from '../audit/recordAudit.ts'
import { newId } from '../db/newId.ts'
import { sql } from '../db/sql.ts'
import { type DomainError, refusal } from '../errors.ts'
import { recordChange } from '../events/recordChange.ts'
import { mailOwner } from '../mail/mailOwner.ts'
import type { Services } from '../services.ts'
import { otpAlreadyEnabled } from './beginOtpSetup.ts'
import { decryptSecret } from './encryptSecret.ts'
import { codeRefusal, spendCode } from './spendCode.ts'

export interface OtpRequest {
  user: { id: string; email: string }
  sessionKey: string
  token: string
  clientAddress: string
  /** Real time. */
  now: Date
}

/**
 * Enables the authenticator with a code of the secret that was shown to this session, and lets the session make one purchase or
 * withdrawal: the enabling code is as good as a verified one. Answers a refusal instead of throwing it, so that a wrong code counts.
 */
export async function enableOtp(
  em: EntityManager,
  { config, jobs }: Pick<Services, 'config' | 'jobs'>,
  { user, sessionKey, secret, token, clientAddress, now }: OtpRequest & { secret: string },
): Promise<DomainError | undefined> {
  const [account] = await sql<{ enabled: boolean }>(em, 'select otp_secret is not null as enabled from users where id = $1', [
    user.id,
  ])
  if (account?.enabled) return otpAlreadyEnabled()
  const [setup] = await sql<{ secret: string }>(
    em,
    'select secret from otp_setups where account_id = $1 and session_key = $2 and expires_at > $3',
    [user.id, sessionKey, now],
  )
  const shown = setup && decryptSecret(setup.secret, { encryptionKey: config.ENCRYPTION_KEY, owner: user.id })
  if (!shown || shown !== secret) {
    return refusal(409, 'otp_setup_expired', 'This setup is no longer valid. Please start again and scan the new QR code.')
  }

  const code = await spendCode(em, { userId: user.id, secret: shown, storedSecret: null, token, now })
  if (code.outcome !== 'spent') return codeRefusal(code, { wrong: 'Invalid verification code. Please try again.', now })
  // The row is ours since the code was spent: nobody can have enabled another secret in between.
  await sql(em, 'update users set otp_secret = $2, otp_enabled_at = $3 where id = $1', [user.id, setup.secret, now])
  await sql(em, 'delete from otp_setups where account_id = $1', [user.id])
  await sql(
    em,
    'insert into step_up_marks (id, user_id, session_key, granted_at, enabled_with_step) values ($1, $2, $3, $4, $5)',
    [newId(), user.id, sessionKey, now, code.step],
  )

  recordAudit(em, { actor: `user:${user.email}`, action: 'otp.enable', target: user.email, ipAddress: clientAddress })
  await recordChange(em, { userId: user.id, keys: [otpStatus.path] })
  await mailOwner(
    em,
    { config, jobs },
    {
      to: user.email,
      subject: 'Your authenticator is enabled',
      paragraphs: [
        'The authenticator app has been enabled for your account. Purchases and withdrawals now ask for its code.',
        'If this was not you, change your password and write to us at once.',
      ],
      facts: [
        ['Time', now.toISOString()],
        ['IP address', clientAddress],
      ],
    },
  )
  return undefined
}
