import { type EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { archiveMonths, type ArchiveOptions } from '#api/integrity/archive/archiveMonths.ts'
import { auditDatabase } from '#api/integrity/auditDatabase.ts'
import type { AuditTime } from '#api/integrity/Check.ts'
import { overdue } from '#api/integrity/checks/overdue.ts'
import { exportLedger } from '#api/office/books/exportLedger.ts'
import { exportRewards } from '#api/office/books/exportRewards.ts'
import { readMonth } from '#api/office/books/readMonth.ts'
import { readRewards } from '#api/office/person/readRewards.ts'
import { sql } from '#api/platform/db/sql.ts'
import { listDistributions } from '#api/rewards/daily/listDistributions.ts'
import { completeWithdrawals } from '#api/withdrawals/requests/completeWithdrawals.ts'
import { refundWithdrawal } from '#api/withdrawals/requests/refundWithdrawal.ts'
import { readStatement } from '#api/withdrawals/statement/readStatement.ts'
import type { TestDatabase } from './database.ts'
import { type Holders, startHolders } from './holders.ts'
import { onCleanup } from './onCleanup.ts'
import { testConfig } from './testConfig.ts'
import { insertWithdrawal } from './withdrawals.ts'

/** Two holders since the end of January, paid until the second of March, with a paid and a refunded withdrawal in January. */
export async function startArchiveWorld() {
  const holders = await startHolders()
  const { database, orm, clock, at } = holders
  const folder = mkdtempSync(path.join(os.tmpdir(), 'archive-'))
  onCleanup(() => rmSync(folder, { recursive: true }))
  at('2027-01-28T12:00:00Z')
  const [one, other] = [await holders.openHolder({ nodes: 2 }), await holders.openHolder({ nodes: 3, kind: 'bonus' })]
  at('2027-01-31T09:00:00Z')
  await holders.pay()
  const config = testConfig({ DATABASE_URL: database.url })
  const services = { config, clock, jobs: database.connections(config).jobs! }
  const [paid, refunded] = [
    await insertWithdrawal(orm, { userId: one, amount: '30', now: clock.now() }),
    await insertWithdrawal(orm, { userId: other, amount: '40', now: clock.now() }),
  ]
  const transactionHash = `0x${'ab'.repeat(32)}` as const
  const inTransaction = (work: (em: EntityManager) => Promise<unknown>) => orm.em.fork().transactional(work)
  await sql(orm.em.fork(), `update withdrawals set status = 'processing' where id = $1`, [paid.id])
  await inTransaction((em) => completeWithdrawals(em, services, [{ id: paid.id, transactionHash, transferOrdinal: 0 }]))
  await inTransaction((em) => refundWithdrawal(em, services, { id: refunded.id }))
  at('2027-03-02T09:00:00Z')
  await holders.pay()
  return {
    ...holders,
    one,
    other,
    paid,
    refunded,
    services,
    inTransaction,
    ...archiveOf({ database, clock, folder, holder: one }),
  }
}

/** Archives and reads a database at the clock's present time. */
export function archiveOf({
  database,
  clock,
  folder,
  holder,
}: Pick<Holders, 'clock'> & { database: Omit<TestDatabase, 'connections'>; folder: string; holder: string }) {
  const { orm } = database
  const owner = new MikroORM(ormOptions({ url: database.ownerUrl, poolSize: 4 }))
  onCleanup(() => owner.close(true))
  const productNow = clock.productNow()
  const times = { now: clock.now(), productNow }
  return {
    owner,
    folder,
    /** Archives January: the months before the last complete one. */
    archive: (options: Partial<ArchiveOptions> = {}) =>
      archiveMonths(owner, {
        at: times,
        folder,
        drop: false,
        keptMonths: 1,
        actor: 'operator:test',
        onProgress: () => undefined,
        ...options,
      }),
    /** The differences of each check, in the archived rows too. */
    find: async (em: EntityManager = orm.em.fork(), at: AuditTime = times) =>
      (await auditDatabase(em, at, { archived: true })).filter(
        ({ name, differences }) => differences.length > 0 && name !== overdue.name,
      ),
    see: async () => {
      const em = orm.em.fork()
      const rows = await collect(exportLedger(em, {}).rows)
      return {
        statement: await collect(readStatement(em, holder)),
        ledger: rows.filter(({ date }) => date >= '2027-02-01'),
        january: rows.filter(({ date }) => date < '2027-02-01'),
        rewards: await collect(exportRewards(em, { month: '2027-01' }).rows),
        history: await listDistributions(em, holder),
        person: await readRewards(em, { userId: holder, limit: 10, offset: 25 }),
        months: [await readMonth(em, { month: '2027-01', productNow }), await readMonth(em, { month: '2027-02', productNow })],
      }
    },
  }
}

async function collect<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  return all
}
