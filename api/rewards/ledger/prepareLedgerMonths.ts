import { lockNamed, lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
// SQL as text: partitions are no entities.
import { sql } from '#api/platform/db/sql.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { utcDay } from '#shared/dates.ts'
import type { Services } from '#api/platform/services.ts'

/**
 * Held by who makes months, alone, and by the daily run, shared: both lock the tables of entries and of distributions, and not in one
 * order.
 */
export const LEDGER_MONTHS_LOCK = lockNamed('ledger-months')

/** This month and the three after it, so that a worker may be away for a quarter. */
const MONTHS = 4

/** Makes the partitions of the ledger ahead of their time, and raises an alarm when one was missed. */
export const prepareLedgerMonths: Sweep<'clock' | 'orm'> = {
  name: 'prepare-ledger-months',
  everySeconds: 3_600,
  async run({ orm, clock }) {
    await makeLedgerMonths({ orm }, { from: utcDay(clock.productNow()), months: MONTHS })
    const [stray] = await sql<{ entries: boolean; distributions: boolean }>(
      orm.em.fork(),
      'select exists (select from ledger_entries_default) as entries, exists (select from distributions_default) as distributions',
    )
    for (const table of ['entries', 'distributions'] as const)
      if (stray?.[table])
        throw new Error(
          `ALERT: there are ${table} in the ledger's default partition; the month they belong to cannot be made any more.`,
        )
  },
}

/** Makes the partitions of some months, those that are not there. A transaction of its own: making one locks the whole table. */
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
    // To lock any table is what lets this session see the months that another has made while it waited.
    await sql(em, 'lock table reward_runs in access share mode')
    await sql(em, 'select make_reward_months($1::date, $2::int)', [from, months])
  })
}
