import type { EntityManager } from '@mikro-orm/postgresql'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import type { Transfer } from '#api/platform/chain/readTransfers.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { depositStates } from '#api/entities/Deposit.ts'
import { usdt } from './amounts.ts'

export const depositsOnChain =
  'Every transfer of USDT to a deposit address on the payment chain is exactly one deposit, and vice versa'

interface Row {
  id: string
  hash: string
  ordinal: number
  sender: string
  recipient: string
  amount: string
  block: number | null
  block_hash: string | null
  block_time: string | null
  state: (typeof depositStates)[number]
}

/** The transfers of a range of final blocks, which the rows must match. */
interface ChainRange {
  /** In chain order. */
  transfers: readonly Transfer[]
  from: bigint
  to: bigint
}

export async function compareDeposits(em: EntityManager, { transfers, from, to }: ChainRange): Promise<string[]> {
  const rows = await sql<Row>(
    em,
    `select id, transaction_hash as hash, ordinal, sender, recipient, amount, block_number as block, block_hash, block_time, state
     from deposits where chain_id = $1 and (block_number between $2 and $3 or transaction_hash = any($4::text[])) order by block_number, log_index`,
    [PAYMENT_CHAIN_ID, from, to, transfers.map(({ transactionHash }) => transactionHash)],
  )
  const left = new Map(rows.map((row) => [`${row.hash} ${row.ordinal}`, row]))
  const differences: string[] = []
  for (const transfer of transfers) {
    const key = `${transfer.transactionHash} ${transfer.ordinal}`
    const row = left.get(key)
    left.delete(key)
    const fault = row ? findFault(row, transfer) : 'is on the chain and has no deposit'
    if (fault) differences.push(`${describe(transfer)} ${fault}`)
  }
  // A deposit without a block shares its transaction with one that was read. The check of its state covers it.
  for (const { id, state, hash, amount, block } of left.values())
    if (block !== null && BigInt(block) >= from && BigInt(block) <= to)
      differences.push(`deposit ${id} is ${state}, and block ${block} has no such transfer of ${usdt(amount)} (${hash})`)
  return differences
}

function findFault(row: Row, { sender, recipient, amount, blockNumber, blockHash, blockTime }: Transfer): string | undefined {
  const name = `and deposit ${row.id}`
  if (row.sender !== sender) return `${name} says it came from ${row.sender}`
  if (row.recipient !== recipient) return `${name} says it went to ${row.recipient}`
  if (BigInt(row.amount) !== amount) return `${name} says ${usdt(row.amount)}`
  if (row.state === 'orphaned') return `${name} is orphaned`
  if (row.block === null || BigInt(row.block) !== blockNumber || row.block_hash !== blockHash)
    return `${name} says block ${row.block ?? 'none'} (${row.block_hash})`
  if (new Date(row.block_time!).getTime() !== blockTime.getTime()) return `${name} says it was at ${row.block_time}`
  return undefined
}

const describe = ({ amount, sender, transactionHash, blockNumber }: Transfer): string =>
  `${usdt(amount)} from ${sender} in ${transactionHash} (block ${blockNumber})`
