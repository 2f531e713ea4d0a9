import type { EntityManager } from '@mikro-orm/postgresql'
import { randomInt } from 'node:crypto'
import { RECOVERY_ALPHABET, RECOVERY_CODE_COUNT } from '#shared/oneTimeCode.ts'
import { newId } from '#api/platform/db/newId.ts'
import { lockOf, lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
import { query } from '#api/entities/tables.ts'
import { hashRecoveryCode } from './hashRecoveryCode.ts'

const LETTERS = 10

/** Generates an account's recovery codes and deletes all earlier ones. Only the return value contains the codes. */
export async function replaceRecoveryCodes(
  em: EntityManager,
  { userId, encryptionKey, now }: { userId: string; encryptionKey: string; now: Date },
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, generateCode)
  // Without the lock, two concurrent replacements would leave the codes of both.
  await lockUntilCommit(em, lockOf(`recovery-codes ${userId}`))
  await query(em).deleteFrom('recovery_codes').where('user', '=', userId).execute()
  await query(em)
    .insertInto('recovery_codes')
    .values(
      codes.map((code) => ({
        id: newId(),
        user: userId,
        codeHash: hashRecoveryCode({ userId, code }, encryptionKey),
        createdAt: now,
      })),
    )
    .execute()
  return codes
}

function generateCode(): string {
  const letters = Array.from({ length: LETTERS }, () => RECOVERY_ALPHABET[randomInt(RECOVERY_ALPHABET.length)]).join('')
  return `${letters.slice(0, LETTERS / 2)}-${letters.slice(LETTERS / 2)}`
}
