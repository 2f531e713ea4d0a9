import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import { hashToken } from '#api/platform/hashToken.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import type { Clock } from '#api/platform/clock/Clock.ts'
import { isFrozen } from '../users/frozen.ts'
import { readSigned } from '../users/holdWithdrawals.ts'
import { type Freeze, freezeAccount } from './freezeAccount.ts'

const linkUnknown = () => refusal(404, 'freeze_link_unknown', 'This link is not complete or not ours.')
const linkExpired = () => refusal(410, 'freeze_link_expired', 'This link has expired. It worked for 7 days.')
const linkUsed = () => refusal(410, 'freeze_link_used', 'This link was used before. It works once.')

type Signed = Awaited<ReturnType<typeof readSigned>>
interface Token {
  token: string
  /** Real time. */
  now: Date
}

/**
 * Freezes the account that the link of a mail belongs to. A used link answers the same while it has nothing left to do, so that a
 * repeated press is no error; it cancels no thaw.
 *
 * @throws as `readFreezeLink`.
 */
export async function freezeByLink(
  em: EntityManager,
  services: MailServices & { clock: Pick<Clock, 'dueNow'> },
  { token, clientAddress, now }: Required<Pick<Freeze, 'clientAddress'>> & Token,
): Promise<{ userId: string; signed: Signed }> {
  // Serializes presses of one link.
  await query(em).selectFrom('freeze_tokens').select('id').where('tokenHash', '=', hashToken(token)).forUpdate().execute()
  const { id, userId, signed } = await readFreezeLink(em, { token, now })
  if (signed) return { userId, signed }
  await query(em).updateTable('freeze_tokens').set({ usedAt: now }).where('id', '=', id).execute()
  return { userId, ...(await freezeAccount(em, services, { userId, clientAddress, now })) }
}

/**
 * Whom the link of a mail belongs to. With the withdrawals that are signed already if it was used and has nothing left to do.
 *
 * @throws 404 `freeze_link_unknown`, 410 `freeze_link_expired` or `freeze_link_used`.
 */
export async function readFreezeLink(
  em: EntityManager,
  { token, now }: Token,
): Promise<{ id: string; userId: string; signed?: Signed }> {
  const link = await query(em)
    .selectFrom('freeze_tokens as t')
    .innerJoin('users as u', 'u.id', 't.user')
    .select(['t.id', 'u.id as userId', 't.expiresAt', 't.usedAt', 'u.frozenAt', 'u.thawsAt'])
    .where('t.tokenHash', '=', hashToken(token))
    .executeTakeFirst()
  if (!link) throw linkUnknown()
  const { id, userId } = link
  if (link.usedAt) {
    if (!isFrozen(link, now) || link.thawsAt) throw linkUsed()
    return { id, userId, signed: await readSigned(em, userId) }
  }
  if (link.expiresAt <= now) throw linkExpired()
  return { id, userId }
}
