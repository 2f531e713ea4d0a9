import type { EntityManager } from '@mikro-orm/postgresql'
import { generateSecret, generateURI } from 'otplib'
import { MINUTE } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { refusal } from '#api/platform/errors.ts'
import { encryptSecret } from './encryptSecret.ts'
import { type OtpAccount, otpTables } from './spendCode.ts'

/** How long a shown secret waits for its code. */
const SETUP_TIME = 30 * MINUTE

export const otpAlreadyEnabled = () =>
  refusal(409, 'otp_already_enabled', 'The authenticator is enabled already. Disable it first to set up another one.')

export interface OtpSetupRequest {
  /** `name` stands beside the code in the authenticator app. */
  account: OtpAccount & { name: string }
  sessionKey: string
  encryptionKey: string
  /** Shown in the authenticator app. */
  issuer: string
  now: Date
}

/** Draws a secret for this session; only this session may enable it. A newer one replaces it. */
export async function beginOtpSetup(
  em: EntityManager,
  { account, sessionKey, encryptionKey, issuer, now }: OtpSetupRequest,
): Promise<{ secret: string; manualEntryKey: string; qrCode: string }> {
  const secret = generateSecret()
  const rows = await sql(
    em,
    `insert into otp_setups (id, realm, account_id, session_key, secret, expires_at)
     select $1, $6, id, $3, $4, $5 from ${otpTables[account.realm]} where id = $2 and otp_secret is null
     on conflict (account_id, session_key) do update set secret = excluded.secret, expires_at = excluded.expires_at
     returning id`,
    [
      newId(),
      account.id,
      sessionKey,
      encryptSecret(secret, { encryptionKey, owner: account.id }),
      new Date(now.getTime() + SETUP_TIME),
      account.realm,
    ],
  )
  if (rows.length === 0) throw otpAlreadyEnabled()
  // A colon divides issuer and account in the address of the QR code.
  const uri = generateURI({ issuer: issuer.replaceAll(':', ' '), label: account.name, secret })
  const { toDataURL } = await import('qrcode')
  return { secret, manualEntryKey: secret, qrCode: await toDataURL(uri, { margin: 2, width: 240 }) }
}
