import type { EntityManager } from '@mikro-orm/postgresql'
import { randomInt } from 'node:crypto'
import { RECOVERY_ALPHABET, RECOVERY_CODE_COUNT } from '#shared/oneTimeCode.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { hashRecoveryCode } from './hashRecoveryCode.ts'

const LETTERS = 10

/** Draws an account's recovery codes; all earlier ones are dead. The answer is the only place where they can be read. */
export async function replaceRecoveryCodes(
  em: EntityManager,
  { userId, encryptionKey, now }: { userId: string; encryptionKey: string; now: Date },
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, drawCode)
  // Two of these for one account at once would leave it with the codes of both.
  await sql(em, `select pg_advisory_xact_lock(hashtextextended('recovery-codes ' || $1, 0))`, [userId])
  await sql(em, 'delete from recovery_codes where user_id = $1', [userId])
  await sql(
    em,
    `insert into recovery_codes (id, user_id, code_hash, created_at)
     select id, $1, code_hash, $2 from unnest($3::uuid[], $4::text[]) as drawn (id, code_hash)`,
    [userId, now, codes.map(newId), codes.map((code) => hashRecoveryCode({ userId, code }, encryptionKey))],
  )
  return codes
}

function drawCode(): string {
  const letters = Array.from({ length: LETTERS }, () => RECOVERY_ALPHABET[randomInt(RECOVERY_ALPHABET.length)]).join('')
  return `${letters.slice(0, LETTERS / 2)}-${letters.slice(LETTERS / 2)}`
}
