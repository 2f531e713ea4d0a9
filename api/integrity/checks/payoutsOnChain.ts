import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import { sql } from '#api/platform/db/sql.ts'
import type { PayoutState } from '#api/entities/Payout.ts'
import { readAcknowledged } from '#api/withdrawals/payoutWallets/explainedTransfers.ts'
import type { PayoutChain } from '../PayoutChain.ts'
import { xcr } from './amounts.ts'

/** The payments that must or may be on the reward chain, in one snapshot. */
export interface PayoutRecords {
  wallets: { address: Address; nextNonce: number }[]
  /** Completed withdrawals and paid sweeps. */
  paid: Payment[]
  /** Signed and not settled: one of their transactions may already be on the chain. */
  open: Omit<Payment, 'ordinal'>[]
  /** Transactions that an operator has acknowledged as foreign. */
  acknowledged: ReadonlySet<Hash>
}

interface Payment {
  cause: string
  hashes: Hash[]
  /** The wallet that signed it; null if an administrator paid it by hand. */
  wallet: Address | null
  recipient: Address
  amount: bigint
  /** Its index among the token's transfers of that transaction. */
  ordinal: number
}

export async function readPayoutRecords(em: EntityManager): Promise<PayoutRecords> {
  const wallets = await sql<{ address: Address; next_nonce: number }>(em, 'select address, next_nonce from payout_wallets')
  const rows = await sql<{
    cause: string
    state: PayoutState | 'by hand'
    hashes: Hash[]
    wallet: Address | null
    recipient: Address
    amount: string
    ordinal: number | null
  }>(
    em,
    `select 'withdrawal:' || w.id as cause, coalesce(p.state, 'by hand') as state, array[w.transaction_hash::text] as hashes,
       p.wallet_address as wallet, w.to_address as recipient, w.amount - w.fee as amount, w.transfer_ordinal as ordinal
     from withdrawals w left join payouts p on p.withdrawal_id = w.id where w.status = 'completed'
     union all
     select cause, state, array[final_hash::text], wallet_address, recipient, amount, 0
     from payouts where withdrawal_id is null and state = 'paid'
     union all
     select cause, state, (select array_agg(hash::text) from payout_attempts where payout_id = payouts.id and kind = 'pay'),
       wallet_address, recipient, amount, null
     from payouts where state = 'sent'`,
  )
  const payments = rows.map(({ amount, ordinal, hashes, ...row }) => ({
    ...row,
    hashes: hashes ?? [],
    amount: BigInt(amount),
    ordinal: ordinal ?? 0,
  }))
  return {
    wallets: wallets.map(({ address, next_nonce }) => ({ address, nextNonce: Number(next_nonce) })),
    paid: payments.filter(({ state }) => state !== 'sent'),
    open: payments.filter(({ state }) => state === 'sent'),
    acknowledged: await readAcknowledged(em),
  }
}

export const paidOnChain =
  'Every completed withdrawal and sweep is exactly one transfer on the reward chain, and the wallets made no other transfers'
export const noncesOnChain = 'The payout wallets have sent no transactions beyond the recorded ones'

/**
 * Finds recorded payments without a transfer, and transfers without a recorded payment.
 *
 * @param upTo a block that was final before the rows were read, so that its transfers are recorded in them.
 */
export async function findUnpaid(
  chain: PayoutChain,
  { wallets, paid, open, acknowledged }: PayoutRecords,
  upTo: bigint,
): Promise<string[]> {
  const transfers =
    wallets.length === 0
      ? []
      : await chain.readTransfersFrom(
          wallets.map(({ address }) => address),
          upTo,
        )
  const left = new Set(transfers)
  const byHash = Map.groupBy(transfers, ({ transactionHash }) => transactionHash)
  const take = ({ hashes, wallet, recipient, amount }: Omit<Payment, 'ordinal'>): boolean => {
    const found = hashes
      .flatMap((hash) => byHash.get(hash) ?? [])
      .find(
        (transfer) =>
          left.has(transfer) &&
          (wallet === null || transfer.sender === wallet) &&
          transfer.recipient === recipient &&
          transfer.amount === amount,
      )
    return found !== undefined && left.delete(found)
  }

  const differences: string[] = []
  for (const payment of paid) {
    // A payment that was settled since, or paid from another wallet, is not among the transfers that were read.
    if (take(payment) || (await isElsewhere(payment))) continue
    differences.push(
      `${payment.cause} is completed, but ${payment.hashes[0]} does not transfer ${xcr(payment.amount)} to ${payment.recipient} for it`,
    )
  }
  for (const payment of open) take(payment)
  for (const { transactionHash, recipient, amount, sender } of left)
    if (!acknowledged.has(transactionHash))
      differences.push(`${transactionHash} transfers ${xcr(amount)} from ${sender} to ${recipient} without a recorded payout`)
  return differences

  async function isElsewhere({ hashes: [hash], wallet, recipient, amount, ordinal }: Payment): Promise<boolean> {
    const receipt = hash && (await chain.readReceipt(hash))
    const transfer = receipt?.succeeded ? receipt.transfers[ordinal] : undefined
    if (!transfer || transfer.recipient !== recipient || transfer.amount !== amount) return false
    if (wallet !== null && transfer.sender !== wallet) return false
    // If its transfers were read, this one already pays for another payment.
    return !byHash.get(hash!)?.some(({ sender }) => sender === transfer.sender)
  }
}

/** @param sent the number of transactions that each wallet had sent before the rows were read. */
export const findForeignNonces = ({ wallets }: PayoutRecords, sent: ReadonlyMap<Address, number>): string[] =>
  wallets.flatMap(({ address, nextNonce }) => {
    const count = sent.get(address) ?? 0
    return count > nextNonce ? [`the wallet ${address} has sent ${count} transactions, ${nextNonce} are recorded`] : []
  })
