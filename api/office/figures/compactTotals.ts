import { lockNamed, tryLockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'

/**
 * Makes one row of what triggers have added for each subject and day. Whoever reads meanwhile sees all of the old rows or the new one,
 * and whoever adds meanwhile is left for the next time.
 */
export const compactTotals: Sweep<'orm'> = {
  name: 'compact-totals',
  everySeconds: 60,
  async run({ orm }) {
    await orm.em.fork().transactional(async (em) => {
      // Two at once would both delete the same rows, and the second, which waited, add them again.
      if (!(await tryLockUntilCommit(em, lockNamed('compact-totals')))) return
      await sql(
        em,
        `with gone as (
           delete from daily_totals t using (
             select subject, day from daily_totals group by subject, day having count(*) > 1
           ) several
           where t.subject = several.subject and t.day = several.day
           returning t.subject, t.day, t.rows, t.nodes, t.amount
         )
         insert into daily_totals (subject, day, rows, nodes, amount)
         select subject, day, sum(rows), sum(nodes), sum(amount) from gone group by subject, day`,
      )
    })
  },
}
