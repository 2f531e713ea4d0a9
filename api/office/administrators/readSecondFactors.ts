import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

/** With fewer passkeys and without codes, one lost passkey would lock the administrator out. */
export const MIN_PASSKEYS = 2

export interface SecondFactors {
  /** What the login asks for after the password; any one of them. */
  factors: ('code' | 'passkey')[]
  /** The number of passkeys, and of those that are not disabled. */
  passkeys: number
  usablePasskeys: number
}

/**
 * What an administrator's login asks for. Passkeys count beside codes, or from the second on: the first alone is not asked for. Disabled
 * ones count, because a copied passkey is disabled, and the copy must not reduce the login to the password.
 */
export async function readSecondFactors(em: EntityManager, administratorId: string): Promise<SecondFactors> {
  const { hasCodes, passkeys, usablePasskeys } = await query(em)
    .selectFrom('administrators as a')
    .leftJoin('passkeys as p', 'p.administrator', 'a.id')
    .select((eb) => [
      eb('a.otpSecret', 'is not', null).as('hasCodes'),
      eb.fn.count<number>('p.id').as('passkeys'),
      eb.fn.count<number>('p.id').filterWhere('p.disabledAt', 'is', null).as('usablePasskeys'),
    ])
    .where('a.id', '=', administratorId)
    .groupBy('a.id')
    .executeTakeFirstOrThrow()
  const code = hasCodes ? (['code'] as const) : []
  const passkey = passkeys > 0 && (hasCodes || passkeys >= MIN_PASSKEYS) ? (['passkey'] as const) : []
  return { factors: [...code, ...passkey], passkeys, usablePasskeys }
}

/**
 * Whether the authenticator was enabled after the session began. Enabling asks for no password, so a thief of the session of an
 * administrator without a second factor may have enabled another one. A later session has shown the password with a code.
 */
export async function isCodeNewerThanSession(
  em: EntityManager,
  { administratorId, sessionKey }: { administratorId: string; sessionKey: string },
): Promise<boolean> {
  const found = await query(em)
    .selectFrom('administrators as a')
    .innerJoin('web_sessions as s', 's.accountId', 'a.id')
    .select('a.id')
    .where('a.id', '=', administratorId)
    .where('s.key', '=', sessionKey)
    .whereRef('a.otpEnabledAt', '>', 's.createdAt')
    .executeTakeFirst()
  return found !== undefined
}
