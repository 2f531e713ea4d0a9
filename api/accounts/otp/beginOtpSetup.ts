import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { generateSecret, generateURI } from 'otplib'
import { MINUTE } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import type { SessionRealm } from '#api/platform/tables/WebSession.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import { encryptSecret } from './encryptSecret.ts'
import { findShownSecret } from './findShownSecret.ts'
import { type OtpAccount, otpTables } from './consumeCode.ts'

/** How long a new secret may be enabled. */
const SETUP_TIME = 30 * MINUTE

export const otpAlreadyEnabled = () =>
  refusal(409, 'otp_already_enabled', 'The authenticator is already enabled. Disable it first to set up another one.')

export interface OtpSetupRequest {
  /** The authenticator app shows `name` beside the code. */
  account: OtpAccount & { name: string }
  sessionKey: string
  /** The secret that the caller says it is shown already. */
  shown: string | undefined
  encryptionKey: string
  /** Shown in the authenticator app. */
  issuer: string
  now: Date
}

/**
 * A new secret, which only this session may enable, or the one that it is setting up, if the caller names it and it is still valid: on a
 * phone the page may be reloaded when its user returns from the authenticator app, which already has the secret. To nobody else: a thief
 * of the session's cookie would know the secret that its owner enables.
 */
export async function beginOtpSetup(
  em: EntityManager,
  { account, sessionKey, shown, encryptionKey, issuer, now }: OtpSetupRequest,
): Promise<{ secret: string; manualEntryKey: string; qrCode: string }> {
  const isPending =
    shown !== undefined &&
    (await findShownSecret(em, { accountId: account.id, sessionKey, secret: shown, encryptionKey, now })) !== undefined
  const secret = isPending ? shown : generateSecret()
  const encrypted = encryptSecret(secret, { encryptionKey, owner: account.id })
  const expiresAt = new Date(now.getTime() + SETUP_TIME)
  const setup = await query(em)
    .insertInto('otp_setups')
    .columns(['id', 'realm', 'accountId', 'sessionKey', 'secret', 'expiresAt'])
    .expression((eb) =>
      eb
        .selectFrom(otpTables[account.realm])
        .select([
          sql<string>`${newId()}::uuid`.as('setupId'),
          sql<SessionRealm>`${account.realm}::text`.as('realm'),
          'id',
          sql<string>`${sessionKey}::uuid`.as('sessionKey'),
          sql<string>`${encrypted}::text`.as('secret'),
          sql<Date>`${expiresAt}::timestamptz`.as('expiresAt'),
        ])
        .where('id', '=', account.id)
        .where('otpSecret', 'is', null),
    )
    .onConflict((conflict) =>
      conflict.columns(['accountId', 'sessionKey']).doUpdateSet((eb) => ({ secret: eb.ref('excluded.secret'), expiresAt })),
    )
    .returning('id')
    .executeTakeFirst()
  if (!setup) throw otpAlreadyEnabled()
  // A colon separates issuer and account in the URI of the QR code.
  const uri = generateURI({ issuer: issuer.replaceAll(':', ' '), label: account.name, secret })
  const { toDataURL } = await import('qrcode')
  return { secret, manualEntryKey: secret, qrCode: await toDataURL(uri, { margin: 2, width: 240 }) }
}
