import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
import { LOCK_TIMEOUT, retryForLocks } from '#api/platform/db/shortLocks.ts'
import { sql } from '#api/platform/db/sql.ts'
import { LEDGER_MONTHS_LOCK } from '#api/rewards/ledger/prepareLedgerMonths.ts'
import { type ArchivableMonth, suffixOf } from './findMonths.ts'

const tables = [
  { table: 'ledger_entries', date: 'date' },
  { table: 'distributions', date: 'day' },
] as const

/** Lets the database prove that all rows are of the month, without which attaching scans them under a lock of the ledger. Readers go on. */
export async function proveMonth(orm: MikroORM, month: ArchivableMonth): Promise<void> {
  for (const { table, date } of tables) {
    const name = `${table}${suffixOf(month)}`
    await inShortLocks(orm.em.fork(), async (em) => {
      await sql(em, `alter table ${name} drop constraint if exists in_month`)
      await sql(
        em,
        `alter table ${name} add constraint in_month check (${date} >= '${month.begin}' and ${date} < '${month.end}') not valid`,
      )
    })
    await sql(orm.em.fork(), `alter table ${name} validate constraint in_month`)
  }
}

/**
 * Moves a month's partitions to the archived tables, in the caller's transaction. It cannot be `detach … concurrently`: that is refused
 * beside a default partition, and would leave two states to repair. The locks are held for milliseconds, after
 * `proveMonth`.
 */
export const detachMonth = (em: EntityManager, month: ArchivableMonth): Promise<void> =>
  inShortLocks(em, async (em) => {
    await lockUntilCommit(em, LEDGER_MONTHS_LOCK)
    for (const { table } of tables) await moveTable(em, table, month)
  })

/** Changes tables in a transaction, or in a savepoint of the caller's, so that what was read and written before is kept. */
export const inShortLocks = (em: EntityManager, change: (em: EntityManager) => Promise<void>): Promise<void> =>
  retryForLocks(() =>
    em.transactional(async (em) => {
      await sql(em, `set local lock_timeout = '${LOCK_TIMEOUT}'`)
      await change(em)
    }),
  )

async function moveTable(em: EntityManager, table: string, month: ArchivableMonth): Promise<void> {
  const name = `${table}${suffixOf(month)}`
  const archived = `archived_${name}`
  await sql(em, `alter table ${table} detach partition ${name}`)
  await sql(em, `alter table ${name} rename to ${archived}`)
  await sql(
    em,
    `alter table archived_${table} attach partition ${archived} for values from ('${month.begin}') to ('${month.end}')`,
  )
  await sql(em, `alter table ${archived} drop constraint in_month`)
  // One partition takes and refuses everything that is dated in an archived month: else it would go to the default partition, where no
  // key knows what has moved before.
  await sql(em, `drop table if exists ${table}_closed`)
  await sql(
    em,
    `create table ${table}_closed partition of ${table} (constraint month_is_archived check (false)) for values from (minvalue) to ('${month.end}')`,
  )
  await sql(
    em,
    `create trigger refuse_truncate before truncate on ${table}_closed for each statement execute function refuse_change()`,
  )
}
