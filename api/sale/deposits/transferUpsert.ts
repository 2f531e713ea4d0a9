import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import type { Transfer } from '#api/platform/chain/readTransfers.ts'
import { newId } from '#api/platform/db/newId.ts'

// Parts of the upserts into `deposits as d`: of first readings (storeDeposits) and of receipts (verifyTransactions).

export const isSame = '(d.sender, d.recipient, d.amount) = (excluded.sender, excluded.recipient, excluded.amount)'
/** Was final and vanished. Its former columns are kept, so that it can be restored. */
export const isGone = 'd.state_before_orphaned is not null'
/** Ignored without a receipt, see ignoreDust. */
export const isDust = `(d.state = 'ignored' and d.notes is null and not ${isGone})`
/** Not settled by a receipt, or may be mined again. */
export const isOpen = `d.state = 'seen' or ${isGone} or ${isDust}`

export const insertDeposits = `insert into deposits as d (id, chain_id, transaction_hash, ordinal, log_index, sender, recipient, amount,
  block_number, block_hash, block_time, first_seen_at, state)`

/** The transfers as rows of `t`: the columns of `parametersOf`, and others with their types, whose parameters begin with $9. */
export const transferRows = (columns: Record<string, 'bigint' | 'int' | 'text' | 'timestamptz'>): string =>
  `unnest($1::uuid[], $3::text[], $4::int[], $5::int[], $6::text[], $7::text[], $8::numeric[],
    ${Object.values(columns)
      .map((type, index) => `$${index + 9}::${type}[]`)
      .join(', ')})
  as t (id, transaction_hash, ordinal, log_index, sender, recipient, amount, ${Object.keys(columns).join(', ')})`

/** The parameters $1 to $8. $2 is the chain of all transfers. */
export const parametersOf = (transfers: readonly Transfer[]): unknown[] => [
  arrayOf(transfers, () => newId()),
  PAYMENT_CHAIN_ID,
  arrayOf(transfers, ({ transactionHash }) => transactionHash),
  arrayOf(transfers, ({ ordinal }) => ordinal),
  arrayOf(transfers, ({ logIndex }) => logIndex),
  arrayOf(transfers, ({ sender }) => sender),
  arrayOf(transfers, ({ recipient }) => recipient),
  arrayOf(transfers, ({ amount }) => amount),
]

/** Moves the row to the transfer's block, and overwrites its other columns unless it is as it has to be found again. */
export const overwriteUnless = (isFixed: string): string => `on conflict (chain_id, transaction_hash, ordinal) do update set
         block_number = excluded.block_number, block_hash = excluded.block_hash, block_time = excluded.block_time, log_index = excluded.log_index,
         recipient = case when ${isFixed} then d.recipient else excluded.recipient end,
         sender = case when ${isFixed} then d.sender else excluded.sender end,
         amount = case when ${isFixed} then d.amount else excluded.amount end,
         purchase_id = case when ${isGone} or ${isSame} then d.purchase_id end,
         closed_at = case when ${isGone} or ${isSame} then d.closed_at end`

/**
 * Formats a PostgreSQL array without escaping, which is faster than the driver. Hashes, addresses, numbers and timestamps need no escaping.
 */
export const arrayOf = (transfers: readonly Transfer[], read: (transfer: Transfer) => string | number | bigint): string =>
  `{${transfers.map(read).join(',')}}`
