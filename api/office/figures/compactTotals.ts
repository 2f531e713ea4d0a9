import { lockNamed, tryLockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
import { query } from '#api/entities/tables.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'

/**
 * Merges the rows that triggers have added for each subject and day into one. Concurrent readers see all of the old rows or the
 * new one; rows added concurrently remain for the next run.
 */
export const compactTotals: Sweep<'orm'> = {
  name: 'compact-totals',
  everySeconds: 60,
  async run({ orm }) {
    await orm.em.fork().transactional(async (em) => {
      // Two concurrent runs would delete the same rows, and the second, having waited, would add them again.
      if (!(await tryLockUntilCommit(em, lockNamed('compact-totals')))) return
      await query(em)
        .with('gone', (db) =>
          db
            .deleteFrom('daily_totals')
            .where(({ eb, refTuple, selectFrom, fn }) =>
              eb(
                refTuple('subject', 'day'),
                'in',
                selectFrom('daily_totals')
                  .select(['subject', 'day'])
                  .groupBy(['subject', 'day'])
                  .having(fn.countAll(), '>', 1)
                  .$asTuple('subject', 'day'),
              ),
            )
            .returning(['subject', 'day', 'rows', 'nodes', 'amount']),
        )
        .insertInto('daily_totals')
        .columns(['subject', 'day', 'rows', 'nodes', 'amount'])
        .expression((eb) =>
          eb
            .selectFrom('gone')
            .select(({ fn }) => [
              'subject',
              'day',
              fn.sum('rows').as('rows'),
              fn.sum('nodes').as('nodes'),
              fn.sum('amount').as('amount'),
            ])
            .groupBy(['subject', 'day']),
        )
        .execute()
    })
  },
}
