import type { MikroORM } from '@mikro-orm/postgresql'
import { randomBytes } from 'node:crypto'
import { query } from '#api/entities/tables.ts'
import { hashToken } from '#api/platform/hashToken.ts'

/**
 * Creates the set-up link of a fresh installation, for the log; undefined after the set-up. Each call invalidates earlier links.
 *
 * The token is in the URL's fragment, which browsers do not send.
 */
export async function issueSetupToken(orm: MikroORM, siteUrl: string): Promise<string | undefined> {
  const token = randomBytes(32).toString('base64url')
  const issued = await query(orm.em.fork())
    .updateTable('installation')
    .set({ setupTokenHash: hashToken(token) })
    .where('id', '=', 1)
    .where('setUpAt', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return issued ? `${siteUrl}/setup#token=${token}` : undefined
}
