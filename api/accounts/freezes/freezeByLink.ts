import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import { hashToken } from '#api/platform/hashToken.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import { isFrozen } from '../users/frozen.ts'
import { readSigned } from '../users/holdWithdrawals.ts'
import { type Freeze, freezeAccount } from './freezeAccount.ts'

const linkUnknown = () => refusal(404, 'freeze_link_unknown', 'This link is not complete or not ours.')
const linkExpired = () => refusal(410, 'freeze_link_expired', 'This link has expired. It worked for 7 days.')
const linkUsed = () => refusal(410, 'freeze_link_used', 'This link was used before. It works once.')

/**
 * Freezes the account that the link of a mail belongs to. A used link answers the same while it has nothing left to do, so that a
 * repeated press is no error; it cancels no thaw.
 *
 * @throws 404 `freeze_link_unknown`, 410 `freeze_link_expired` or `freeze_link_used`.
 */
export async function freezeByLink(
  em: EntityManager,
  services: MailServices,
  { token, clientAddress, now }: Required<Pick<Freeze, 'clientAddress' | 'now'>> & { token: string },
): Promise<{ userId: string; signed: Awaited<ReturnType<typeof readSigned>> }> {
  // The lock serializes presses of one link.
  const link = await query(em)
    .selectFrom('freeze_tokens')
    .select(['id', 'user as userId', 'expiresAt', 'usedAt'])
    .where('tokenHash', '=', hashToken(token))
    .forUpdate()
    .executeTakeFirst()
  if (!link) throw linkUnknown()
  const { userId } = link
  if (link.usedAt) {
    const account = await query(em)
      .selectFrom('users')
      .select(['frozenAt', 'thawsAt'])
      .where('id', '=', userId)
      .executeTakeFirstOrThrow()
    if (!isFrozen(account, now) || account.thawsAt) throw linkUsed()
    return { userId, signed: await readSigned(em, userId) }
  }
  if (link.expiresAt <= now) throw linkExpired()
  await query(em).updateTable('freeze_tokens').set({ usedAt: now }).where('id', '=', link.id).execute()
  return { userId, ...(await freezeAccount(em, services, { userId, clientAddress, now })) }
}
