import { sql } from 'kysely'
import { HOUR, MINUTE, SECOND } from '#shared/dates.ts'
// SQL as text: the tables of pg-boss are not ours and have no entities.
import { sql as sqlText } from '#api/platform/db/sql.ts'
import { query } from '#api/entities/tables.ts'
import type { Schedule } from '#api/platform/jobs/runWorker.ts'
import type { Services } from '#api/platform/services.ts'
import { areRewardsLate, readRewardProgress } from '../status/rewardProgress.ts'
import { describeAge } from './describeAge.ts'
import { check, type HealthSource } from './HealthSource.ts'

/** A sweep is overdue after this many intervals. */
const OVERDUE_INTERVALS = 3
/** Work that takes longer counts as stuck. */
const STUCK_AFTER = 10 * MINUTE

/** Checks the scheduled tasks, as recorded by the workers. */
export function sweepHealth({ clock }: Pick<Services, 'clock'>, { sweeps }: Pick<Schedule, 'sweeps'>): HealthSource {
  return async (em) => {
    const rows = await query(em).selectFrom('sweep_runs').select(['name', 'finishedAt', 'failedAt', 'error']).execute()
    return sweeps.map(({ name, everySeconds }) => {
      const row = rows.find((row) => row.name === name)
      const finished = row?.finishedAt?.getTime()
      const failed = row?.failedAt?.getTime()
      const now = clock.now().getTime()
      const last = finished === undefined ? 'never completed' : `completed ${describeAge(now - finished)} ago`
      const hasFailed = failed !== undefined && (finished === undefined || failed > finished)
      return check(`Task ${name}`, {
        ok:
          !hasFailed &&
          finished !== undefined &&
          now - finished <= Math.max(STUCK_AFTER, OVERDUE_INTERVALS * everySeconds * SECOND),
        value: hasFailed ? `${last}, failed ${describeAge(now - failed)} ago: ${row?.error ?? 'no reason given'}` : last,
        advice: hasFailed
          ? "It is retried automatically. See the worker's log for details."
          : 'Check that a worker is running: `node api/main.ts worker`.',
      })
    })
  }
}

/** Checks the job queues. */
export function queueHealth({ clock }: Pick<Services, 'clock'>, { jobs }: Pick<Schedule, 'jobs'>): HealthSource {
  return async (em) => {
    const rows = await sqlText<{ name: string; waiting: number; retried: number; failed: number; oldest: string | null }>(
      em,
      `select q.name, count(j.name)::int as waiting, (count(*) filter (where j.state = 'retry'))::int as retried,
         q.failed_count as failed, min(j.created_on) as oldest
       from pgboss.queue q left join pgboss.job j on j.name = q.name and j.state < 'active' and not j.blocked
       where q.name = any($1) group by q.name, q.failed_count order by q.name`,
      [jobs.map(({ name }) => name)],
    )
    return rows.map(({ name, waiting, retried, failed, oldest }) => {
      const age = oldest === null ? 0 : clock.now().getTime() - new Date(oldest).getTime()
      return check(`Queue ${name}`, {
        ok: age <= STUCK_AFTER && failed === 0,
        value:
          waiting > 0
            ? `${waiting} waiting, oldest waiting ${describeAge(age)}, ${retried} retried, ${failed} failed permanently today`
            : `${waiting} waiting, ${retried} retried, ${failed} failed permanently today`,
        advice: 'Check that a worker is running, and read its log. Scheduled tasks do the work of jobs that failed permanently.',
      })
    })
  }
}

function describeUnsent({ unsent, age, error }: { unsent: number; age: string; error: string | null }): string {
  if (unsent === 0) return 'all sent'
  return error ? `${unsent} not sent, oldest waiting ${age}: ${error}` : `${unsent} not sent, oldest waiting ${age}`
}

export function mailHealth({ clock }: Pick<Services, 'clock'>): HealthSource {
  return async (em) => {
    const { unsent, oldest, error } = await query(em)
      .selectFrom('outgoing_mails as m')
      .select(({ fn, ref }) => [
        fn.countAll<number>().as('unsent'),
        fn.min<Date | null>('m.createdAt').as('oldest'),
        sql<string | null>`(array_agg(${ref('m.lastError')} order by ${ref('m.nextAttemptAt')} desc)
          filter (where ${ref('m.lastError')} is not null))[1]`.as('error'),
      ])
      .where('m.sentAt', 'is', null)
      .where('m.attemptsEndAt', 'is', null)
      .executeTakeFirstOrThrow()
    const age = oldest === null ? 0 : clock.now().getTime() - oldest.getTime()
    return [
      check('Mail', {
        ok: age <= STUCK_AFTER,
        value: describeUnsent({ unsent, age: describeAge(age), error }),
        advice: 'Check that the mail server in SMTP_URL accepts mail. Nothing is lost. Each mail is retried until it is sent.',
      }),
    ]
  }
}

/** A push message that waits longer says something about its push service, or the way to it. */
const PUSH_STUCK_AFTER = 2 * HOUR

/** Checks the push messages, if they are on. One device with a broken push service is no reason for an alarm. */
export function pushHealth({ clock, config }: Pick<Services, 'clock' | 'config'>): HealthSource {
  return async (em) => {
    if (!config.push) return []
    const { unsent, oldest } = await query(em)
      .selectFrom('outgoing_pushes as p')
      .select(({ fn }) => [fn.countAll<number>().as('unsent'), fn.min<Date | null>('p.createdAt').as('oldest')])
      .executeTakeFirstOrThrow()
    const stuck = await query(em)
      .selectFrom('outgoing_pushes as p')
      .select('p.subscription')
      .distinct()
      .where('p.createdAt', '<', new Date(clock.now().getTime() - PUSH_STUCK_AFTER))
      .limit(2)
      .execute()
    const age = oldest === null ? 0 : clock.now().getTime() - oldest.getTime()
    return [
      check('Push messages', {
        ok: stuck.length < 2,
        value: describeUnsent({ unsent, age: describeAge(age), error: null }),
        advice:
          'Check that workers reach the hosts of PUSH_HOSTS on port 443. Messages are in the inbox and are no longer pushed after a day.',
      }),
    ]
  }
}

/** Checks that every due day is paid, in product time. */
export function rewardHealth({ clock }: Pick<Services, 'clock'>): HealthSource {
  return async (em) => {
    const progress = await readRewardProgress(em, clock.productNow())
    const { paid, due } = progress
    const paidUp = paid ? `paid up to ${paid}` : 'nothing paid yet'
    return [
      check('Daily rewards', {
        ok: !areRewardsLate(progress),
        value: due ? `${paidUp}, ${due.day} overdue by ${describeAge(due.since)}` : paidUp,
        advice:
          'Check that a worker is running, that its clock is right and that the chains answer, and search its log for pay-rewards. Missed days are paid automatically afterwards.',
      }),
    ]
  }
}
