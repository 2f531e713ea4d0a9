import { MINUTE } from '#shared/dates.ts'
import { sql } from '../db/sql.ts'
import { hideSecrets } from '../log/describeError.ts'
import type { Services } from '../services.ts'
import type { Sweep } from './defineJob.ts'

/** Of an error, this much is kept; the log has all of it. */
const KEPT = 300

/**
 * Writes down how a sweep went, for the health card: when it turns from good to bad or back, and otherwise once a minute, however often
 * it runs.
 */
export function createSweepRecord(
  { orm, config, clock }: Pick<Services, 'orm' | 'config' | 'clock'>,
  { name }: Pick<Sweep, 'name'>,
): (failure?: { error: unknown }) => Promise<void> {
  let last: { wasGood: boolean; at: number } | undefined
  return async (failure) => {
    const now = clock.now()
    const isGood = failure === undefined
    if (last?.wasGood === isGood && now.getTime() - last.at < MINUTE) return
    await (isGood
      ? sql(
          orm.em.fork(),
          `insert into sweep_runs (name, finished_at) values ($1, $2)
           on conflict (name) do update set finished_at = excluded.finished_at`,
          [name, now],
        )
      : sql(
          orm.em.fork(),
          `insert into sweep_runs (name, failed_at, error) values ($1, $2, $3)
           on conflict (name) do update set failed_at = excluded.failed_at, error = excluded.error`,
          [name, now, hideSecrets(messageOf(failure.error), config).slice(0, KEPT)],
        ))
    last = { wasGood: isGood, at: now.getTime() }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error))
