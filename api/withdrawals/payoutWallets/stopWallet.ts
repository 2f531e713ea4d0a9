import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { readWaitStart } from '#api/platform/clock/readWaitStart.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { query } from '#api/entities/tables.ts'

/** Stops signing until an operator has reconciled the wallet. @returns false if it was stopped already. */
export async function stopWallet(
  em: EntityManager,
  { address, because, now }: { address: Address; because: string; now: Date },
): Promise<boolean> {
  const stopped = await query(em)
    .updateTable('payout_wallets')
    // Messages signed until then are refused, so a clock that is behind must not date it too early.
    .set({ stoppedBecause: because, stoppedAt: await readWaitStart(em, now) })
    .where('address', '=', address)
    .where('stoppedBecause', 'is', null)
    .returning('address')
    .executeTakeFirst()
  await recordChange(em, { keys: [getWaiting.path] })
  return stopped !== undefined
}
