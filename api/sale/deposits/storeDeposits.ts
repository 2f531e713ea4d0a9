import type { EntityManager } from '@mikro-orm/postgresql'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import type { Transfer } from '#api/platform/chain/readTransfers.ts'
import { newId } from '#api/platform/db/newId.ts'
// SQL as text: an upsert of thousands of transfers whose columns depend on the existing row.
import { sql } from '#api/platform/db/sql.ts'
import { openStatuses } from '#api/entities/Purchase.ts'

// Conditions of an upsert of `deposits as d`, here and in verifyTransactions.
export const isSame = '(d.sender, d.recipient, d.amount) = (excluded.sender, excluded.recipient, excluded.amount)'
/** Was final and vanished. Its former columns are kept, so that it can be restored. */
export const isGone = 'd.state_before_orphaned is not null'
/** Ignored without a receipt, see ignoreDust. */
export const isDust = `(d.state = 'ignored' and d.notes is null and not ${isGone})`
/** Not settled by a receipt, or may be mined again. */
export const isOpen = `d.state = 'seen' or ${isGone} or ${isDust}`
/** Overwrites the transfer's columns unless the row is as it has to be found again. */
export const overwriteUnless = (isFixed: string): string => `
         recipient = case when ${isFixed} then d.recipient else excluded.recipient end,
         sender = case when ${isFixed} then d.sender else excluded.sender end,
         amount = case when ${isFixed} then d.amount else excluded.amount end,
         purchase_id = case when ${isGone} or ${isSame} then d.purchase_id end,
         closed_at = case when ${isGone} or ${isSame} then d.closed_at end`

export interface StoredDeposits {
  /** Number of new deposits. */
  added: number
  /** Deposits that are new or moved to another block, and whose sender has an open request. */
  ofPayers: string[]
}

/**
 * Stores the transfers of a first reading, any number in one statement.
 *
 * It credits nothing: an endpoint may have omitted logs, so ordinals and all other columns are provisional until `verifyTransactions` takes
 * them from the receipt. A row settled by a receipt is therefore not changed. An orphaned row only gets the block that its transaction is
 * reported in. Dust that was ignored without a receipt becomes seen again if its ordinal now has another transfer.
 *
 * `mayPostpone`: the blocks are final. Otherwise an unsettled row keeps its block if a later one is reported: a reorganization takes it out of
 * its block first, and an endpoint that repeats a transfer in each newer block would keep it from ever being final.
 */
export async function storeDeposits(
  em: EntityManager,
  transfers: readonly Transfer[],
  { firstSeenAt, mayPostpone }: { firstSeenAt: Date; mayPostpone: boolean },
): Promise<StoredDeposits> {
  if (transfers.length === 0) return { added: 0, ofPayers: [] }
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
         ${overwriteUnless(`(${isGone} or d.kept_for is not null)`)},
         state = case when ${isDust} and not ${isSame} then 'seen' else d.state end
       where (${isOpen}) and (d.block_hash is distinct from excluded.block_hash or d.log_index is distinct from excluded.log_index
         or not (${isGone} or ${isSame}))
         and ($15 or d.block_number is null or excluded.block_number <= d.block_number or ${isDust})
       returning d.id, d.sender, d.state, (d.xmax = 0) as is_new
     ), payers as (
       select sender from (select distinct sender from stored where state = 'seen') as senders
       where exists (select from purchases p where p.wallet = senders.sender and p.status = any($14))
     )
     select (select count(*)::int from stored where is_new) as added,
       (select coalesce(jsonb_agg(id), '[]') from stored s where state = 'seen' and sender in (select sender from payers)) as "ofPayers"`,
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
      mayPostpone,
    ],
  )
  return stored!
}

/** Returns the position of a transfer's block, starting at 1. */
function placeIn(blocks: readonly Transfer[]): (transfer: Transfer) => number {
  const places = new Map(blocks.map(({ blockHash }, index) => [blockHash, index + 1]))
  return ({ blockHash }) => places.get(blockHash)!
}

/**
 * Formats a PostgreSQL array without escaping, which is faster than the driver. Hashes, addresses, numbers and timestamps need no escaping.
 */
export const arrayOf = (transfers: readonly Transfer[], read: (transfer: Transfer) => string | number | bigint): string =>
  `{${transfers.map(read).join(',')}}`
