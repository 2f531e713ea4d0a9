import type { EntityManager } from '@mikro-orm/postgresql'
import type { Transfer } from '#api/platform/chain/readTransfers.ts'
// SQL as text: an upsert of thousands of transfers whose columns depend on the existing row.
import { sql } from '#api/platform/db/sql.ts'
import { openStatuses } from '#api/entities/Purchase.ts'
import {
  arrayOf,
  insertDeposits,
  isDust,
  isGone,
  isOpen,
  isSame,
  overwriteUnless,
  parametersOf,
  transferRows,
} from './transferUpsert.ts'

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
 * `mayPostpone`: the blocks are final. Otherwise a row keeps its block if a later one is reported: a reorganization takes it out of
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
       ${insertDeposits}
       select t.id, $2, t.transaction_hash, t.ordinal, t.log_index, t.sender, t.recipient, t.amount, b.number, b.hash, b.time, $12, 'seen'
       from ${transferRows({ block: 'int' })}
       join unnest($10::text[], $11::bigint[], $13::timestamptz[]) with ordinality as b (hash, number, time, place) on b.place = t.block
       ${overwriteUnless(`(${isGone} or d.kept_for is not null)`)},
         state = case when ${isDust} and not ${isSame} then 'seen' else d.state end
       where (${isOpen}) and (d.block_hash is distinct from excluded.block_hash or d.log_index is distinct from excluded.log_index
         or not (${isGone} or ${isSame}))
         and ($15 or d.block_number is null or excluded.block_number <= d.block_number)
       returning d.id, d.sender, d.state, (d.xmax = 0) as is_new
     )
     -- Asked of each by the index on purchases: as a set, the payers might be read again for each transfer.
     select count(*) filter (where is_new)::int as added,
       coalesce(jsonb_agg(id) filter (where state = 'seen'
         and exists (select from purchases p where p.wallet = stored.sender and p.status = any($14))), '[]') as "ofPayers"
     from stored`,
    [
      ...parametersOf(transfers),
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
