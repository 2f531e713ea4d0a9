import type { EntityManager } from '@mikro-orm/postgresql'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import type { Transfer } from '../chain/readTransfers.ts'
import { newId } from '../db/newId.ts'
import { sql } from '../db/sql.ts'
import { openStatuses } from '../entities/Purchase.ts'

export interface StoredDeposits {
  /** How many were not known before. */
  added: number
  /** Those, among them and among the ones that stand in another block than before, that more is to be done about. */
  notable: NotableDeposit[]
}

/** A deposit that was known already, or whose sender has an open request. */
export interface NotableDeposit {
  id: string
  /** It was orphaned and is what it was before. */
  returned: boolean
  /** It was orphaned and came back as something else, and so stays orphaned. */
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
): Promise<StoredDeposits> {
  if (transfers.length === 0) return { added: 0, notable: [] }
  const blocks = [...new Map(transfers.map((transfer) => [transfer.blockHash, transfer])).values()]
  const [stored] = await sql<StoredDeposits>(
    em,
    `with stored as (
       insert into deposits as d (id, chain_id, transaction_hash, ordinal, log_index, sender, recipient, amount,
         block_number, block_hash, block_time, first_seen_at, state)
       select t.id, $2, t.transaction_hash, t.ordinal, t.log_index, t.sender, t.recipient, t.amount, b.number, b.hash, b.time, $12, 'seen'
       from unnest($1::uuid[], $3::text[], $4::int[], $5::int[], $6::text[], $7::text[], $8::numeric[], $9::int[])
         as t (id, transaction_hash, ordinal, log_index, sender, recipient, amount, block)
       join unnest($10::text[], $11::bigint[], $13::timestamptz[]) with ordinality as b (hash, number, time, place) on b.place = t.block
       on conflict (chain_id, transaction_hash, ordinal) do update set
         block_number = excluded.block_number, block_hash = excluded.block_hash, block_time = excluded.block_time, log_index = excluded.log_index,
         recipient = case when d.state = 'seen' then excluded.recipient else d.recipient end,
         sender = case when d.state = 'seen' then excluded.sender else d.sender end,
         amount = case when d.state = 'seen' then excluded.amount else d.amount end,
         purchase_id = case when d.state = 'seen' and (d.sender, d.amount) <> (excluded.sender, excluded.amount) then null else d.purchase_id end,
         state = case when d.sender = excluded.sender and d.amount = excluded.amount
           then coalesce(d.state_before_orphaned, d.state) else d.state end,
         state_before_orphaned = case when d.sender = excluded.sender and d.amount = excluded.amount then null else d.state_before_orphaned end
       where d.block_hash is distinct from excluded.block_hash or d.log_index is distinct from excluded.log_index
       returning d.id, d.sender, d.purchase_id as "purchaseId", (d.xmax = 0) as is_new,
         (d.xmax <> 0 and d.state <> 'seen' and d.state_before_orphaned is null) as returned, d.state_before_orphaned is not null as changed
     ), payers as (
       select sender from (select distinct sender from stored) as senders
       where exists (select from purchases p where p.wallet = senders.sender and p.status = any($14))
     )
     select (select count(*)::int from stored where is_new) as added,
       (select coalesce(jsonb_agg(s), '[]') from stored s where not is_new or sender in (select sender from payers)) as notable`,
    [
      arrayOf(transfers, () => newId()),
      PAYMENT_CHAIN_ID,
      arrayOf(transfers, ({ transactionHash }) => transactionHash),
      arrayOf(transfers, ({ ordinal }) => ordinal),
      arrayOf(transfers, ({ logIndex }) => logIndex),
      arrayOf(transfers, ({ sender }) => sender),
      arrayOf(transfers, ({ recipient }) => recipient),
      arrayOf(transfers, ({ amount }) => amount),
      arrayOf(transfers, placeIn(blocks)),
      arrayOf(blocks, ({ blockHash }) => blockHash),
      arrayOf(blocks, ({ blockNumber }) => blockNumber),
      firstSeenAt,
      arrayOf(blocks, ({ blockTime }) => blockTime.toISOString()),
      openStatuses,
    ],
  )
  return stored!
}

/** Tells the place, from 1 on, of the block that a transfer stands in. */
function placeIn(blocks: readonly Transfer[]): (transfer: Transfer) => number {
  const places = new Map(blocks.map(({ blockHash }, index) => [blockHash, index + 1]))
  return ({ blockHash }) => places.get(blockHash)!
}

/**
 * An array as PostgreSQL writes it. The driver would look into every value for what has a meaning there; hashes, addresses, numbers and
 * instants have nothing of the kind, and there are many of them.
 */
const arrayOf = (transfers: readonly Transfer[], read: (transfer: Transfer) => string | number | bigint): string =>
  `{${transfers.map(read).join(',')}}`

/** Thaws the nodes whose transfers are all on the chain again. */
export async function thawNodes(em: EntityManager, purchaseIds: readonly string[]): Promise<void> {
  if (purchaseIds.length === 0) return
  await sql(
    em,
    `update nodes set frozen_at = null where purchase_id = any($1) and frozen_at is not null
       and not exists (select from deposits d where d.purchase_id = nodes.purchase_id and d.state_before_orphaned in ('matched', 'assigned'))`,
    [purchaseIds],
  )
}
