import { MINUTE } from '#shared/dates.ts'
import { query } from '../tables/tables.ts'
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
    const outcome = isGood
      ? { finishedAt: now }
      : { failedAt: now, error: hideSecrets(messageOf(failure.error), config).slice(0, KEPT) }
    await query(orm.em.fork())
      .insertInto('sweep_runs')
      .values({ name, ...outcome })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(outcome))
      .execute()
    last = { wasGood: isGood, at: now.getTime() }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error))
