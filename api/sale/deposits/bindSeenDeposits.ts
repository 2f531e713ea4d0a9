import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'
import { openStatuses } from '#api/entities/Purchase.ts'
import { recordPurchaseChange } from '../purchases/recordPurchaseChange.ts'
import { CLOCK_TOLERANCE } from './findRequest.ts'

/**
 * Ties deposits that have just been seen to the requests they most likely pay for: such a request cannot expire any more (money.md 5),
 * and its buyer sees the payment coming. What a deposit really pays is decided when it is final.
 *
 * One statement for any number: a sender of thousands of transfers delays nobody.
 */
export async function bindSeenDeposits(em: EntityManager, depositIds: readonly string[]): Promise<void> {
  if (depositIds.length === 0) return
  // All of them at once and in the order of ids, as everybody locks them.
  await sql(
    em,
    `select from purchases where status = any($2) and wallet in (select sender from deposits where id = any($1)) order by id for update`,
    [depositIds, openStatuses],
  )
  const bound = await sql<{ user_id: string }>(
    em,
    `with fits as (
       select distinct on (d.id) d.id, p.id as purchase_id, p.user_id
       from deposits d join purchases p on p.wallet = d.sender and p.status = any($2)
       where d.id = any($1) and d.state = 'seen' and d.amount > 0
         -- Who may pay for it: findRequest, mayPay.
         and (exists (select from wallet_registrations r where r.address = d.sender and r.proven_at is not null and r.user_id = p.user_id)
           or (p.opened_at <= d.block_time + $3 * interval '1 millisecond'
             and not exists (select from wallet_registrations r where r.address = d.sender and r.proven_at is not null)))
       order by d.id, (p.claimed_hash is not distinct from d.transaction_hash) desc, (p.amount = d.amount) desc, p.opened_at
     ), bound as (
       update deposits d set purchase_id = fits.purchase_id, user_id = fits.user_id from fits where fits.id = d.id returning d.user_id
     )
     select distinct user_id from bound`,
    [depositIds, openStatuses, CLOCK_TOLERANCE],
  )
  for (const { user_id } of bound) await recordPurchaseChange(em, user_id)
}
