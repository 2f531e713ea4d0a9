import type { EntityManager } from '@mikro-orm/postgresql'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import type { Transfer } from '../chain/readTransfers.ts'
import { newId } from '../db/newId.ts'
import { sql } from '../db/sql.ts'

/** A transfer that was not known, or that stands in another block than before. */
export interface StoredDeposit {
  id: string
  isNew: boolean
  /** It was orphaned and is what it was before. */
  returned: boolean
  /** It was orphaned, and is mined again as something else: a person must look. */
  changed: boolean
  purchaseId: string | null
}

/**
 * Stores transfers, any number in one statement.
 *
 * One that is known is not stored again: mined again in another block it re-attaches to its row, and an orphaned one becomes what it was,
 * provided it still says the same. What was settled is never changed by it.
 */
export async function storeDeposits(
  em: EntityManager,
  transfers: readonly Transfer[],
  firstSeenAt: Date,
): Promise<StoredDeposit[]> {
  if (transfers.length === 0) return []
  const rows = await sql<{ id: string; is_new: boolean; returned: boolean; changed: boolean; purchase_id: string | null }>(
    em,
    `insert into deposits as d (id, chain_id, transaction_hash, ordinal, log_index, sender, recipient, amount,
       block_number, block_hash, block_time, first_seen_at, state)
     select t.*, $12, 'seen' from (
       select unnest($1::uuid[]), $2::int, unnest($3::text[]), unnest($4::int[]), unnest($5::int[]), unnest($6::text[]), unnest($7::text[]),
         unnest($8::numeric[]), unnest($9::bigint[]), unnest($10::text[]), unnest($11::timestamptz[])
     ) as t
     on conflict (chain_id, transaction_hash, ordinal) do update set
       block_number = excluded.block_number, block_hash = excluded.block_hash, block_time = excluded.block_time, log_index = excluded.log_index,
       recipient = case when d.state = 'seen' then excluded.recipient else d.recipient end,
       sender = case when d.state = 'seen' then excluded.sender else d.sender end,
       amount = case when d.state = 'seen' then excluded.amount else d.amount end,
       purchase_id = case when d.state = 'seen' and (d.sender, d.amount) <> (excluded.sender, excluded.amount) then null else d.purchase_id end,
       state = case when d.state = 'orphaned' and d.sender = excluded.sender and d.amount = excluded.amount
         then coalesce(d.state_before_orphaned, 'seen') else d.state end,
       state_before_orphaned = case when d.sender = excluded.sender and d.amount = excluded.amount then null else d.state_before_orphaned end
     where d.block_hash is distinct from excluded.block_hash or d.log_index is distinct from excluded.log_index
     returning d.id, d.purchase_id, (d.xmax = 0) as is_new, (d.xmax <> 0 and d.state <> 'seen' and d.state <> 'orphaned') as returned, d.state = 'orphaned' as changed`,
    [
      transfers.map(() => newId()),
      PAYMENT_CHAIN_ID,
      transfers.map((transfer) => transfer.transactionHash),
      transfers.map((transfer) => transfer.ordinal),
      transfers.map((transfer) => transfer.logIndex),
      transfers.map((transfer) => transfer.sender),
      transfers.map((transfer) => transfer.recipient),
      transfers.map((transfer) => transfer.amount.toString()),
      transfers.map((transfer) => transfer.blockNumber.toString()),
      transfers.map((transfer) => transfer.blockHash),
      transfers.map((transfer) => transfer.blockTime.toISOString()),
      firstSeenAt,
    ],
  )
  return rows.map((row) => ({
    id: row.id,
    isNew: row.is_new,
    returned: row.returned,
    changed: row.changed,
    purchaseId: row.purchase_id,
  }))
}

/** Thaws the nodes whose transfers are all on the chain again. */
export async function thawNodes(em: EntityManager, purchaseIds: readonly string[]): Promise<void> {
  if (purchaseIds.length === 0) return
  await sql(
    em,
    `update nodes set frozen_at = null where purchase_id = any($1) and frozen_at is not null
       and not exists (select from deposits d where d.purchase_id = nodes.purchase_id and d.state = 'orphaned')`,
    [purchaseIds],
  )
}
