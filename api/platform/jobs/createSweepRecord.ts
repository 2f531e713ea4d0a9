import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { query } from '../tables/tables.ts'
import { hideSecrets } from '../log/describeError.ts'
import type { Services } from '../services.ts'
import type { Sweep } from './defineJob.ts'

/** The maximum length of a recorded error; the log has the full text. */
const MAX_ERROR_LENGTH = 300

/**
 * Records a sweep's result for the health tab: at each change between success and failure, otherwise once a minute.
 *
 * @param onTurn runs in the transaction of each such change.
 */
export function createSweepRecord(
  { orm, config, clock }: Pick<Services, 'orm' | 'config' | 'clock'>,
  { name }: Pick<Sweep, 'name'>,
  onTurn?: (em: EntityManager) => Promise<void>,
): (failure?: { error: unknown }) => Promise<void> {
  let last: { wasGood: boolean; at: number } | undefined
  return async (failure) => {
    const now = clock.now()
    const isGood = failure === undefined
    if (last?.wasGood === isGood && now.getTime() - last.at < MINUTE) return
    const outcome = isGood
      ? { finishedAt: now }
      : { failedAt: now, error: hideSecrets(messageOf(failure.error), config).slice(0, MAX_ERROR_LENGTH) }
    await orm.em.fork().transactional(async (em) => {
      await query(em)
        .insertInto('sweep_runs')
        .values({ name, ...outcome })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(outcome))
        .execute()
      if ((last?.wasGood ?? true) !== isGood) await onTurn?.(em)
    })
    last = { wasGood: isGood, at: now.getTime() }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error))
