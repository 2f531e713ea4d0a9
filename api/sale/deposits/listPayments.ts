import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import type { listPayments as contract, Payment } from '#shared/contract/purchases.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { depositStates } from '#api/entities/Deposit.ts'

type DepositState = (typeof depositStates)[number]

interface Row {
  id: string
  transaction_hash: Hash
  sender: Address
  amount: string
  state: DepositState
  purchase_id: string | null
  refund_hash: Hash | null
  refunded_amount: string | null
  first_seen_at: string
}

/** As the history shows. */
const SHOWN = 20

/** In the words of the one who has paid. One that has vanished from the chain is looked at by a person. */
const stateOf: Record<DepositState, Payment['state']> = {
  seen: 'arriving',
  matched: 'credited',
  assigned: 'credited',
  review: 'waiting',
  orphaned: 'waiting',
  refunded: 'refunded',
  ignored: 'ignored',
}

/** The newest payments that came from an account's wallets or for its purchases. */
export async function listPayments(em: EntityManager, userId: string): Promise<Output<typeof contract>> {
  const rows = await sql<Row>(
    em,
    `select d.id, d.transaction_hash, d.sender, d.amount, d.state, p.id as purchase_id, d.refund_hash, d.refunded_amount, d.first_seen_at
     from deposits d left join purchases p on p.id = d.purchase_id and p.user_id = $1
     where d.id in (
         select id from deposits where user_id = $1
         union select o.id from purchases op join deposits o on o.purchase_id = op.id where op.user_id = $1
       ) and (d.block_number is not null or d.state <> 'seen')
     order by d.first_seen_at desc, d.id desc limit ${SHOWN}`,
    [userId],
  )
  return rows.map((row) => ({
    id: row.id,
    transactionHash: row.transaction_hash,
    sender: row.sender,
    amount: BigInt(row.amount),
    state: stateOf[row.state],
    purchaseId: row.purchase_id,
    refund: row.refund_hash && {
      transactionHash: row.refund_hash,
      amount: row.refunded_amount === null ? null : BigInt(row.refunded_amount),
    },
    seenAt: new Date(row.first_seen_at),
  }))
}
