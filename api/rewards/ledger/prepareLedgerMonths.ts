import type { EntityManager } from '@mikro-orm/postgresql'
import { lockNamed, lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
// SQL as text: partitions are not entities.
import { sql } from '#api/platform/db/sql.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { mailOperatorOnce } from '#api/platform/mail/mailOperator.ts'
import { utcDay } from '#shared/dates.ts'
import type { Services } from '#api/platform/services.ts'

/**
 * Held exclusively while months are created, and shared by the daily run. Both lock the tables of entries and distributions, in different
 * orders.
 */
export const LEDGER_MONTHS_LOCK = lockNamed('ledger-months')

/**
 * Keeps months from being archived until the transaction ends. Called before the first read of a snapshot: a month that was detached after
 * it would be missing in the ledger, and not yet be in the sums carried over.
 */
export const holdLedgerMonths = (em: EntityManager) => sql(em, 'lock table ledger_entries, distributions in access share mode')

/** The current month and the next three, so that an outage of the worker of up to three months is harmless. */
const PREPARED_MONTHS = 4

/** Creates the partitions of the ledger in advance, and alerts the operator if rows are in the default partition, by mail once a month. */
export const prepareLedgerMonths: Sweep<'clock' | 'config' | 'jobs' | 'orm'> = {
  name: 'prepare-ledger-months',
  everySeconds: 3_600,
  async run(services) {
    const { orm, clock, config } = services
    await makeLedgerMonths({ orm }, { from: utcDay(clock.productNow()), months: PREPARED_MONTHS })
    const [stray] = await sql<{ entries: boolean; distributions: boolean }>(
      orm.em.fork(),
      'select exists (select from ledger_entries_default) as entries, exists (select from distributions_default) as distributions',
    )
    for (const table of ['entries', 'distributions'] as const) {
      if (!stray?.[table]) continue
      const message = `There are ${table} in the ledger's default partition; the month they belong to cannot be made any more.`
      await mailOperatorOnce(services, {
        name: `${utcDay(clock.now()).slice(0, 7)}: ${message}`,
        subject: `${config.BRAND_NAME}: rows outside the ledger's months`,
        paragraphs: [message],
      })
      throw new Error(`ALERT: ${message}`)
    }
  },
}

/** Creates the missing partitions of some months in its own transaction, because creating one locks the whole table. */
export async function makeLedgerMonths(
  { orm }: Pick<Services, 'orm'>,
  { from, months }: { from: string; months: number },
): Promise<void> {
  const em = orm.em.fork()
  const [missing] = await sql(
    em,
    `select from generate_series(0, $2::int - 1) i, unnest(array['ledger_entries', 'distributions']) parent
     where to_regclass(parent || to_char(date_trunc('month', $1::date) + i * interval '1 month', '_YYYY_MM')) is null limit 1`,
    [from, months],
  )
  if (!missing) return
  await em.transactional(async (em) => {
    await lockUntilCommit(em, LEDGER_MONTHS_LOCK)
    // Locking any table makes the months visible that another session created in the meantime.
    await sql(em, 'lock table reward_runs in access share mode')
    await sql(em, 'select make_reward_months($1::date, $2::int)', [from, months])
  })
}
