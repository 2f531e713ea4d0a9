import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../db/sql.ts'
import { Deposit } from '../entities/Deposit.ts'
import { openStatuses } from '../entities/Purchase.ts'
import { recordPurchaseChange } from '../purchases/recordPurchaseChange.ts'
import { findRequest, type MinedDeposit } from './findRequest.ts'

/**
 * Ties deposits that have just been seen to the requests they most likely pay for: such a request cannot expire any more (money.md 5),
 * and its buyer sees the payment coming. What a deposit really pays is decided when it is final.
 */
export async function bindSeenDeposits(em: EntityManager, depositIds: readonly string[]): Promise<void> {
  if (depositIds.length === 0) return
  const rows = await sql<{ id: string }>(
    em,
    `select d.id from deposits d where d.id = any($1) and d.state = 'seen' and d.amount > 0
       and d.sender in (select wallet from purchases where status = any($2)) order by d.block_number, d.log_index`,
    [depositIds, openStatuses],
  )
  // All of them at once and in the order of ids, as everybody locks them.
  await sql(
    em,
    `select from purchases where status = any($2) and wallet in (select sender from deposits where id = any($1)) order by id for update`,
    [rows.map(({ id }) => id), openStatuses],
  )
  for (const { id } of rows) {
    const deposit = (await em.findOneOrFail(Deposit, { id })) as MinedDeposit
    const fit = await findRequest(em, deposit)
    if (!fit) continue
    Object.assign(deposit, { purchase: fit.purchase, user: fit.purchase.user })
    await em.flush()
    await recordPurchaseChange(em, fit.purchase.user.id)
  }
}
