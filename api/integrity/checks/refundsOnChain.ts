import type { EntityManager } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import type { ReceiptTransfer } from '#api/platform/chain/readAgreedReceipt.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { DepositChain } from '../DepositChain.ts'
import { usdt } from './amounts.ts'

export const refundsOnChain = 'Every refund is its own transfer of USDT on the payment chain, to the sender of its deposit'

interface Refund {
  id: string
  sender: string
  hash: Hash
  /** Null for refunds of earlier releases. */
  ordinal: number | null
  amount: string
}

/** Compares the refunds recorded since the last complete audit without differences, or all of them, with the chain. */
export async function compareRefunds(
  em: EntityManager,
  chain: DepositChain,
  { all }: { all: boolean },
): Promise<{ differences: string[]; unread: string[] }> {
  const refunds = await sql<Refund>(
    em,
    `select id, sender, refund_hash as hash, refund_ordinal as ordinal, refunded_amount as amount from deposits
     where refund_hash in (
       select refund_hash from deposits where refund_hash is not null and refunded_amount is not null and ($1 or closed_at > coalesce(
         (select max(at) - interval '1 day' from audit_runs where unchecked = '[]' and differences = '[]'), '-infinity'))
     ) order by refund_hash, refund_ordinal, id`,
    [all],
  )
  const differences: string[] = []
  const unread: string[] = []
  for (const [hash, ofHash] of Map.groupBy(refunds, (refund) => refund.hash)) {
    const found = await chain.readTransfersOf(hash)
    if (found.kind === 'unknown') unread.push(`The refund ${hash} could not be looked up: too few endpoints show it`)
    else if (found.kind === 'disagree') differences.push(`${found.hosts.join(', ')} show the refund ${hash} differently`)
    else differences.push(...findFaults(ofHash, found.kind === 'agreed' ? found.answer : []))
  }
  return { differences, unread }
}

function findFaults(refunds: readonly Refund[], transfers: readonly ReceiptTransfer[]): string[] {
  const left = new Map(transfers.map((transfer) => [transfer.ordinal, transfer]))
  return refunds.flatMap((refund) => {
    const isRefund = ({ recipient, amount }: ReceiptTransfer) => recipient === refund.sender && amount === BigInt(refund.amount)
    const transfer = refund.ordinal === null ? [...left.values()].find(isRefund) : left.get(refund.ordinal)
    if (!transfer || !isRefund(transfer))
      return `deposit ${refund.id} is refunded, but ${refund.hash} has no transfer of ${usdt(refund.amount)} to ${refund.sender}`
    left.delete(transfer.ordinal)
    return []
  })
}
