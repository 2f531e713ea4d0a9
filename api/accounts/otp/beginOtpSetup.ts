import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { generateSecret, generateURI } from 'otplib'
import { MINUTE } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import type { SessionRealm } from '#api/platform/tables/WebSession.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import { decryptSecret, encryptSecret } from './encryptSecret.ts'
import { type OtpAccount, otpTables } from './consumeCode.ts'

/** How long a new secret may be enabled. */
const SETUP_TIME = 30 * MINUTE

export const otpAlreadyEnabled = () =>
  refusal(409, 'otp_already_enabled', 'The authenticator is already enabled. Disable it first to set up another one.')

export interface OtpSetupRequest {
  /** The authenticator app shows `name` beside the code. */
  account: OtpAccount & { name: string }
  sessionKey: string
  encryptionKey: string
  /** Shown in the authenticator app. */
  issuer: string
  now: Date
}

/**
 * The secret that this session is setting up, or a new one, which only this session may enable. It stays the same while it is valid: on a
 * phone the page may be reloaded when its user returns from the authenticator app, which already has the secret.
 */
export async function beginOtpSetup(
  em: EntityManager,
  { account, sessionKey, encryptionKey, issuer, now }: OtpSetupRequest,
): Promise<{ secret: string; manualEntryKey: string; qrCode: string }> {
  const owned = { encryptionKey, owner: account.id }
  const encrypted = encryptSecret(generateSecret(), owned)
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
      conflict.columns(['accountId', 'sessionKey']).doUpdateSet((eb) => ({
        secret: eb
          .case()
          .when('otp_setups.expiresAt', '>', now)
          .then(eb.ref('otp_setups.secret'))
          .else(eb.ref('excluded.secret'))
          .end(),
        expiresAt,
      })),
    )
    .returning('secret')
    .executeTakeFirst()
  if (!setup) throw otpAlreadyEnabled()
  const secret = decryptSecret(setup.secret, owned)
  // A colon separates issuer and account in the URI of the QR code.
  const uri = generateURI({ issuer: issuer.replaceAll(':', ' '), label: account.name, secret })
  const { toDataURL } = await import('qrcode')
  return { secret, manualEntryKey: secret, qrCode: await toDataURL(uri, { margin: 2, width: 240 }) }
}
