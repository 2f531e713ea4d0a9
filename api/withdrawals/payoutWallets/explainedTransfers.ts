import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { sql } from 'kysely'
import { query } from '#api/entities/tables.ts'

const ACKNOWLEDGED = 'payouts.acknowledge'

type TransferId = { transactionHash: Hash; ordinal: number }

export interface ExplainedTransfers {
  /** Whether every transfer of a transaction is explained. */
  hasTransaction(hash: Hash): boolean
  has(transfer: TransferId): boolean
}

/**
 * Which of these transactions are explained: by a payout that is or will be settled, a transfer that completed a withdrawal, a sweep,
 * or an operator's acknowledgement.
 */
export async function readExplained(em: EntityManager, hashes: readonly Hash[]): Promise<ExplainedTransfers> {
  const db = query(em)
  const any = sql<Hash>`any(${hashes})`
  const none = sql<number | null>`null::int`.as('ordinal')
  const rows = await db
    .selectFrom('payout_attempts as a')
    .innerJoin('payouts as p', 'p.id', 'a.payout')
    .select(['a.hash', none])
    .where('a.hash', '=', any)
    // A refunded one that was mined again after a deep reorganization has paid nothing that is recorded.
    .where('p.state', 'in', ['sent', 'paid'])
    .union(
      db
        .selectFrom('payouts')
        .select((eb) => [eb.ref('finalHash').$notNull().as('hash'), none])
        .where('finalHash', '=', any)
        .where('state', '=', 'paid'),
    )
    .union(
      db
        .selectFrom('withdrawals')
        .select((eb) => [eb.ref('transactionHash').$notNull().as('hash'), 'transferOrdinal as ordinal'])
        .where('transactionHash', '=', any)
        .where('transferOrdinal', 'is not', null),
    )
    .union(
      db
        .selectFrom('audit_entries')
        .select((eb) => [eb.ref('target').$castTo<Hash>().as('hash'), none])
        .where('action', '=', ACKNOWLEDGED)
        .where('target', '=', any),
    )
    .execute()
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
  /** Descriptions for the audit log. */
  transfers: readonly string[]
  /** Recipients that are no account's wallet. Withdrawals to them need review later. */
  strangers: readonly Address[]
}

export const recordAcknowledgement = (em: EntityManager, { actor, hash, ...after }: Acknowledgement): void =>
  recordAudit(em, { actor, action: ACKNOWLEDGED, target: hash, after })

/** Transactions of payout wallets that an operator acknowledged as foreign. */
export async function readAcknowledged(em: EntityManager): Promise<Set<Hash>> {
  const rows = await query(em).selectFrom('audit_entries').select('target').where('action', '=', ACKNOWLEDGED).execute()
  return new Set(rows.map(({ target }) => target as Hash))
}

/** Whether a transfer to this wallet was acknowledged while no account owned the wallet. */
export async function hasAcknowledgedTransfer(em: EntityManager, wallet: Address): Promise<boolean> {
  const paid = await query(em)
    .selectFrom('audit_entries')
    .select('id')
    .where('action', '=', ACKNOWLEDGED)
    .where(sql<boolean>`after -> 'strangers' ? ${wallet}`)
    .limit(1)
    .executeTakeFirst()
  return paid !== undefined
}
