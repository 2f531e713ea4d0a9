import type { EntityManager } from '@mikro-orm/postgresql'
import { sql as kyselySql } from 'kysely'
import { DAY } from '#shared/dates.ts'
import { issueReceipts } from '#api/accounts/proofs/issueReceipts.ts'
import { nodesFacts } from '#api/accounts/proofs/storeReceipts.ts'
import { withdrawalFacts } from '#api/withdrawals/requests/requestWithdrawal.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { query } from '#api/entities/tables.ts'

/**
 * Stores the receipts of nodes and withdrawals that a process of an earlier release, or one without the register, has not stored. Only what
 * is younger than the log's first entry has receipts.
 */
export const issueMissingReceipts: Sweep<'clock' | 'config' | 'jobs' | 'orm'> = {
  name: 'issue-missing-receipts',
  everySeconds: 60,
  async run(services) {
    const { clock, config, orm } = services
    if (!config.register) return
    const em = orm.em.fork()
    const genesis = await query(em).selectFrom('register_entries').select('appendedAt').where('index', '=', 0).executeTakeFirst()
    if (!genesis) return
    for (const { userId, ...receipt } of await findNodes(em, genesis.appendedAt))
      await orm.em.fork().transactional((em) => issueReceipts(em, services, [{ userId, ...receipt }]))
    for (const { userId, ...receipt } of await findWithdrawals(em, genesis.appendedAt, clock.productNow()))
      await orm.em.fork().transactional((em) => issueReceipts(em, services, [{ userId, ...receipt }]))
  },
}

async function findNodes(em: EntityManager, since: Date) {
  const rows = await sql<{
    id: string
    user_id: string
    kind: string
    unit_price: string
    numbers: number[]
    allocated_at: string
    active_from: string
    deposits: { transactionHash: `0x${string}`; ordinal: number }[]
  }>(
    em,
    `select p.id, p.user_id, p.unit_price, n.kind, n.numbers, n.allocated_at, n.active_from,
       (select coalesce(jsonb_agg(jsonb_build_object('transactionHash', d.transaction_hash, 'ordinal', d.ordinal)), '[]')
        from deposits d where d.purchase_id = p.id and d.state in ('matched', 'assigned')) as deposits
     from (
       select purchase_id, min(kind) as kind, array_agg(number order by number) as numbers,
         min(allocated_at) as allocated_at, min(active_from) as active_from
       from nodes group by purchase_id
     ) n join purchases p on p.id = n.purchase_id
     where p.closed_at >= $1 and not exists (select from register_receipts where cause = 'purchase:' || p.id)
     order by p.closed_at`,
    [since],
  )
  return rows.map((row) => ({
    userId: row.user_id,
    cause: `purchase:${row.id}`,
    facts: nodesFacts({
      numbers: row.numbers,
      allocatedAt: new Date(row.allocated_at),
      activeFrom: new Date(row.active_from),
      price: row.kind === 'bonus' ? null : BigInt(row.unit_price),
      deposits: row.deposits,
    }),
  }))
}

const HAS_NO_RECEIPT = kyselySql<boolean>`not exists (select from register_receipts where cause = 'withdrawal:' || w.id)`

/** How far back withdrawals are looked for, which have many rows. */
const RECENT = 3 * DAY

async function findWithdrawals(em: EntityManager, since: Date, productNow: Date) {
  const rows = await query(em)
    .selectFrom('withdrawals as w')
    .select(['w.id', 'w.user', 'w.amount', 'w.fee', 'w.toAddress', 'w.signedMessage', 'w.createdAt'])
    .where('w.createdAt', '>', new Date(productNow.getTime() - RECENT))
    .where('w.requestedAt', '>=', since)
    // The message of a booked payment is lost.
    .where('w.signature', '<>', '0x')
    .where(HAS_NO_RECEIPT)
    .orderBy('w.createdAt')
    .execute()
  return rows.map(({ id, user, createdAt, ...withdrawal }) => ({
    userId: user,
    cause: `withdrawal:${id}`,
    facts: withdrawalFacts({ ...withdrawal, productNow: createdAt }),
  }))
}
