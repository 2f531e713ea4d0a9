import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { query } from '#api/entities/tables.ts'

/** Locks the wallet's row. Nonces are only taken while this lock is held. */
export async function lockWallet(em: EntityManager, address: Address) {
  const row = await query(em)
    .selectFrom('payout_wallets')
    .select(['nextNonce', 'stoppedBecause'])
    .where('address', '=', address)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new Error(`The payout wallet ${address} has no row.`)
  return row
}

/** Stops signing until an operator has reconciled the wallet. @returns false if it was stopped already. */
export async function stopWallet(
  em: EntityManager,
  { address, because, now }: { address: Address; because: string; now: Date },
): Promise<boolean> {
  const stopped = await query(em)
    .updateTable('payout_wallets')
    .set({ stoppedBecause: because, stoppedAt: now })
    .where('address', '=', address)
    .where('stoppedBecause', 'is', null)
    .returning('address')
    .executeTakeFirst()
  await recordChange(em, { keys: [getWaiting.path] })
  return stopped !== undefined
}
