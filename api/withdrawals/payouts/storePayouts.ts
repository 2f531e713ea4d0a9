import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import type { SignedTransaction } from '#api/platform/chain/createPayoutAccount.ts'
import type { Fees } from '#api/platform/chain/readFees.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { SignedAttempt } from './broadcast.ts'

export interface NewPayout {
  id: string
  nonce: number
  cause: string
  withdrawalId: string | null
  recipient: Address
  amount: bigint
}

export interface NewAttempt extends SignedTransaction, Fees {
  payoutId: string
  kind: 'pay' | 'cancel'
}

export async function storePayouts(
  em: EntityManager,
  { wallet, payouts, now }: { wallet: Address; payouts: readonly NewPayout[]; now: Date },
): Promise<void> {
  await sql(
    em,
    `insert into payouts (id, wallet_address, nonce, cause, withdrawal_id, recipient, amount, signed_at)
     select id, $1, nonce, cause, withdrawal_id, recipient, amount, $2
     from unnest($3::uuid[], $4::bigint[], $5::text[], $6::uuid[], $7::text[], $8::numeric[])
       new (id, nonce, cause, withdrawal_id, recipient, amount)`,
    [
      wallet,
      now,
      payouts.map(({ id }) => id),
      payouts.map(({ nonce }) => nonce),
      payouts.map(({ cause }) => cause),
      payouts.map(({ withdrawalId }) => withdrawalId),
      payouts.map(({ recipient }) => recipient),
      payouts.map(({ amount }) => amount.toString()),
    ],
  )
}

/** Writes signed transactions down, before any of them is sent. */
export async function storeAttempts(
  em: EntityManager,
  { attempts, now }: { attempts: readonly NewAttempt[]; now: Date },
): Promise<(SignedAttempt & { payoutId: string; hash: Hash })[]> {
  const stored = attempts.map((attempt) => ({ ...attempt, id: newId() }))
  await sql(
    em,
    `insert into payout_attempts (id, payout_id, hash, signed_bytes, kind, max_fee_per_gas, max_priority_fee_per_gas, signed_at)
     select id, payout_id, hash, signed_bytes, kind, max_fee, max_tip, $1
     from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::numeric[], $8::numeric[])
       new (id, payout_id, hash, signed_bytes, kind, max_fee, max_tip)`,
    [
      now,
      stored.map(({ id }) => id),
      stored.map(({ payoutId }) => payoutId),
      stored.map(({ hash }) => hash),
      stored.map(({ signedBytes }) => signedBytes),
      stored.map(({ kind }) => kind),
      stored.map(({ maxFeePerGas }) => maxFeePerGas.toString()),
      stored.map(({ maxPriorityFeePerGas }) => maxPriorityFeePerGas.toString()),
    ],
  )
  return stored
}

/** The withdrawals show what is to pay them. */
export async function nameTransactions(
  em: EntityManager,
  transactions: readonly { withdrawalId: string; hash: Hash }[],
): Promise<void> {
  await sql(
    em,
    `update withdrawals set transaction_hash = new.hash from unnest($1::uuid[], $2::text[]) new (id, hash) where withdrawals.id = new.id`,
    [transactions.map(({ withdrawalId }) => withdrawalId), transactions.map(({ hash }) => hash)],
  )
}
