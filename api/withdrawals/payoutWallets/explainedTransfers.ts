import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { sql } from '#api/platform/db/sql.ts'

const ACKNOWLEDGED = 'payouts.acknowledge'

type TransferId = { transactionHash: Hash; ordinal: number }

export interface ExplainedTransfers {
  /** Whether every transfer of a transaction is explained. */
  hasTransaction(hash: Hash): boolean
  has(transfer: TransferId): boolean
}

/**
 * Which of these transactions we know the reason of: a payout that a worker has settled or will settle, a transfer that completed a
 * withdrawal, a sweep, or one that an operator has acknowledged.
 */
export async function readExplained(em: EntityManager, hashes: readonly Hash[]): Promise<ExplainedTransfers> {
  const rows = await sql<{ hash: Hash; ordinal: number | null }>(
    em,
    `select hash, null::int as ordinal from payout_attempts a join payouts p on p.id = a.payout_id
     where hash = any($1::text[]) and p.state <> 'lost'
     union select final_hash, null from payouts where final_hash = any($1::text[]) and state = 'paid'
     union select transaction_hash, transfer_ordinal from withdrawals where transaction_hash = any($1::text[]) and transfer_ordinal is not null
     union select target, null from audit_entries where action = $2 and target = any($1::text[])`,
    [hashes, ACKNOWLEDGED],
  )
  const whole = new Set(rows.filter(({ ordinal }) => ordinal === null).map(({ hash }) => hash))
  const single = new Set(rows.map(({ hash, ordinal }) => `${hash} ${ordinal}`))
  return {
    hasTransaction: (hash) => whole.has(hash),
    has: ({ transactionHash, ordinal }) => whole.has(transactionHash) || single.has(`${transactionHash} ${ordinal}`),
  }
}

interface Acknowledgement {
  actor: string
  hash: Hash
  reason: string
  /** In words. */
  transfers: readonly string[]
  /** Recipients that are no account's wallet: a withdrawal to one of them waits for a person. */
  strangers: readonly Address[]
}

export const recordAcknowledgement = (em: EntityManager, { actor, hash, ...after }: Acknowledgement): void =>
  recordAudit(em, { actor, action: ACKNOWLEDGED, target: hash, after })

/** Transactions of payout wallets that an operator has acknowledged as foreign. */
export async function readAcknowledged(em: EntityManager): Promise<Set<Hash>> {
  const rows = await sql<{ hash: Hash }>(em, 'select target as hash from audit_entries where action = $1', [ACKNOWLEDGED])
  return new Set(rows.map(({ hash }) => hash))
}

/** Whether this wallet was paid by a transfer that was acknowledged while it was no account's. */
export async function wasPaidAsStranger(em: EntityManager, wallet: Address): Promise<boolean> {
  const rows = await sql(em, `select from audit_entries where action = $1 and after->'strangers' ? $2 limit 1`, [
    ACKNOWLEDGED,
    wallet,
  ])
  return rows.length > 0
}
