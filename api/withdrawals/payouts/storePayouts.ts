import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import type { SignedTransaction } from '#api/platform/chain/createPayoutAccount.ts'
import type { Fees } from '#api/platform/chain/readFees.ts'
import { newId, newIdAfter } from '#api/platform/db/newId.ts'
import { unnest } from '#api/platform/db/unnest.ts'
import { query } from '#api/entities/tables.ts'
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
  /** The attempt that it replaces. The newest one of a payout is the one with the last id, whatever the clocks of the workers say. */
  replaces?: string
}

export async function storePayouts(
  em: EntityManager,
  { wallet, payouts, now }: { wallet: Address; payouts: readonly NewPayout[]; now: Date },
): Promise<void> {
  const rows = payouts.map(({ id, nonce, cause, withdrawalId, recipient, amount }) => ({
    id,
    wallet,
    nonce,
    cause,
    withdrawal: withdrawalId,
    recipient,
    amount,
    signedAt: now,
  }))
  await query(em).insertInto('payouts').values(rows).execute()
}

/** Stores signed transactions before any of them is sent. */
export async function storeAttempts(
  em: EntityManager,
  { attempts, now }: { attempts: readonly NewAttempt[]; now: Date },
): Promise<(SignedAttempt & { payoutId: string; hash: Hash })[]> {
  const stored = attempts.map((attempt) => ({
    ...attempt,
    id: attempt.replaces === undefined ? newId() : newIdAfter(attempt.replaces),
  }))
  if (stored.length === 0) return []
  const rows = stored.map(({ id, payoutId, hash, signedBytes, kind, maxFeePerGas, maxPriorityFeePerGas }) => ({
    id,
    payout: payoutId,
    hash,
    signedBytes,
    kind,
    maxFeePerGas,
    maxPriorityFeePerGas,
    signedAt: now,
  }))
  await query(em).insertInto('payout_attempts').values(rows).execute()
  return stored
}

/** Shows the pending transaction on each withdrawal. */
export async function storeTransactionHashes(
  em: EntityManager,
  transactions: readonly { withdrawalId: string; hash: Hash }[],
): Promise<void> {
  const rows = transactions.map(({ withdrawalId, hash }) => ({ id: withdrawalId, hash }))
  await query(em)
    .updateTable('withdrawals')
    .from(unnest('named', { id: 'uuid', hash: 'text' }, rows))
    .set((eb) => ({ transactionHash: eb.ref('named.hash') }))
    .whereRef('withdrawals.id', '=', 'named.id')
    .execute()
}
