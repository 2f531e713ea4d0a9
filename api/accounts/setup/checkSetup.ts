import type { EntityManager } from '@mikro-orm/postgresql'
import { timingSafeEqual } from 'node:crypto'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import { hashToken } from '#api/platform/hashToken.ts'

export const setupDone = () => refusal(409, 'setup_done', 'Setup has already been completed.')

/**
 * Rejects a repeated set-up. Unless the chains are embedded, it also rejects a set-up without the token of the newest link in the log,
 * because otherwise anybody on the internet could set up the installation first (money.md 31).
 */
export async function checkSetup(
  em: EntityManager,
  { token, isEmbedded }: { token: string; isEmbedded: boolean },
): Promise<void> {
  const installation = await query(em)
    .selectFrom('installation')
    .select(['setUpAt', 'setupTokenHash'])
    .where('id', '=', 1)
    .executeTakeFirst()
  if (installation?.setUpAt) throw setupDone()
  if (isEmbedded) return
  const expected = Buffer.from(installation?.setupTokenHash ?? '')
  const given = Buffer.from(hashToken(token))
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) {
    throw refusal(403, 'setup_token_required', 'Please open the setup link printed in the server log.')
  }
}
