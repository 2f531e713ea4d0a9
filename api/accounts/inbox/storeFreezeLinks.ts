import type { EntityManager } from '@mikro-orm/postgresql'
import { randomBytes } from 'node:crypto'
import { DAY } from '#shared/dates.ts'
import type { Config } from '#api/platform/config.ts'
import { hashToken } from '#api/platform/hashToken.ts'
import { newId } from '#api/platform/db/newId.ts'
import { siteUrl } from '#api/platform/mail/siteUrl.ts'
import { query } from '#api/entities/tables.ts'

/** How long the link of a mail works, in real time. */
const LINK_LIFE = 7 * DAY

/**
 * Stores a token for each message in the transaction that mails it, and returns the links in their order. The token is in the fragment,
 * which browsers send to no server, so neither logs nor other sites learn it.
 */
export async function storeFreezeLinks(
  em: EntityManager,
  config: Pick<Config, 'PUBLIC_URL' | 'PORT'>,
  messages: readonly { userId: string; messageId: string }[],
): Promise<string[]> {
  if (messages.length === 0) return []
  const expiresAt = new Date(Date.now() + LINK_LIFE)
  const tokens = messages.map(() => randomBytes(32).toString('base64url'))
  await query(em)
    .insertInto('freeze_tokens')
    .values(
      messages.map(({ userId, messageId }, index) => ({
        id: newId(),
        user: userId,
        message: messageId,
        tokenHash: hashToken(tokens[index]!),
        expiresAt,
      })),
    )
    .execute()
  return tokens.map((token) => `${siteUrl(config)}/freeze#token=${token}`)
}
