import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'
import { DAY } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { readWaitStart } from '#api/platform/clock/readWaitStart.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { hasNoPayout } from './hasNoPayout.ts'

/** How long withdrawals are on hold after a change of the account (money.md 17). */
export const HOLD_PERIOD = DAY

/** The end of a hold that begins now. */
export const endOfHold = async (em: EntityManager, now: Date): Promise<Date> =>
  new Date((await readWaitStart(em, now)).getTime() + HOLD_PERIOD)

/**
 * Puts the account's withdrawals on hold for a day. The account was recovered or has lost its authenticator, possibly by somebody other
 * than its owner (money.md 17). A planned thaw is cancelled, because it was started with what was replaced (39).
 *
 * @param options `now`: real time. `dueNow`: that of `Clock.dueNow`, for whether the thaw is still planned.
 */
export async function holdWithdrawals(
  em: EntityManager,
  { userId, now, dueNow }: { userId: string; now: Date; dueNow: Date },
): Promise<void> {
  const heldUntil = await endOfHold(em, now)
  await query(em)
    .updateTable('users')
    .set((eb) => ({
      withdrawalsReviewedUntil: heldUntil,
      thawsAt: eb.case().when('thawsAt', '>', dueNow).then(null).else(eb.ref('thawsAt')).end(),
    }))
    .where('id', '=', userId)
    .execute()
  await recordChange(em, { userId, keys: [getAuthUser.path] })
  await extendHolds(em, { userId, now })
}

/**
 * Starts the hold of the account's held withdrawals anew, because the account was changed again. A withdrawal whose hold was over and
 * which waits for a person is held again.
 *
 * @param now real time of the change.
 */
export async function extendHolds(em: EntityManager, { userId, now }: { userId: string; now: Date }): Promise<void> {
  // Locked in the order of ids, as everywhere. The release by the clock reads the time again under this lock.
  const held = await query(em)
    .selectFrom('withdrawals')
    .select('id')
    .where('user', '=', userId)
    .where('status', '=', 'manual_review')
    .where('heldUntil', 'is not', null)
    .where('reviewReason', '<>', 'unknown_outcome')
    .orderBy('id')
    .forUpdate()
    .execute()
  if (held.length === 0) return
  const ids = held.map(({ id }) => id)
  await query(em)
    .updateTable('withdrawals')
    .set({ heldUntil: await endOfHold(em, now) })
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
  await recordChange(em, { userId, keys: [listWithdrawals.path, getWaiting.path] })
}

interface OpenPayout {
  amount: bigint
  toAddress: Address
}

/**
 * Puts every withdrawal of the account that is not signed yet on hold. The worker signs under the same locks, so each one is either
 * held or signed. Those for which a person decides still wait for one afterwards.
 *
 * @param now real time.
 * @returns those that are on hold now, and those that are already signed and not final.
 */
export async function holdUnsignedWithdrawals(
  em: EntityManager,
  { userId, now }: { userId: string; now: Date },
): Promise<{ held: OpenPayout[]; signed: OpenPayout[] }> {
  const held = await query(em)
    .selectFrom('withdrawals as w')
    .select(['w.id', 'w.amount', 'w.toAddress'])
    .where('w.user', '=', userId)
    .where('w.status', 'in', ['pending', 'manual_review'])
    .where(hasNoPayout)
    .orderBy('w.id')
    .forUpdate()
    .execute()
  const ids = held.map(({ id }) => id)
  const heldUntil = await endOfHold(em, now)
  await query(em)
    .updateTable('withdrawals')
    .set((eb) => ({
      status: 'manual_review',
      reviewReason: eb.fn.coalesce('reviewReason', eb.val('recent_change' as const)),
      heldUntil,
    }))
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    // One from before holds waits for a person, and would otherwise be released by the clock.
    .where((eb) => eb.or([eb('reviewReason', 'is distinct from', 'recent_change'), eb('heldUntil', 'is not', null)]))
    .execute()
  await recordChange(em, { userId, keys: [listWithdrawals.path, getWaiting.path] })
  return { held, signed: await readSigned(em, userId) }
}

/** The account's withdrawals with a signed transaction that is not final yet. */
export const readSigned = (em: EntityManager, userId: string): Promise<OpenPayout[]> =>
  query(em)
    .selectFrom('withdrawals as w')
    .innerJoin('payouts as p', 'p.withdrawal', 'w.id')
    .select(['w.amount', 'w.toAddress'])
    .where('w.user', '=', userId)
    .where('p.state', '=', 'sent')
    // Otherwise an administrator is rejecting it.
    .where('p.cancelRequestedAt', 'is', null)
    .orderBy('w.id')
    .execute()
