import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '#shared/dates.ts'
import { runOperator } from '../chaos/runOperator.ts'
import { runAudit } from '#api/testing/runAudit.ts'
import { openRun, type Report, type RunOptions, until } from './openRun.ts'
import { countLost } from './runLoss.ts'

const PURCHASES = 120
/** Before and after the chosen second. */
const ACTIVITY = 15 * SECOND
const MAX_AFTER = 60 * SECOND
const ARCHIVE_TIMEOUT = 60 * SECOND

/** Walks the README's steps: a backup, a chosen second, the restore, the audit, and the reconciliation of payouts made after it. */
export const runPointInTime = ({ log, ...options }: RunOptions): Promise<Report> =>
  openRun({ ...options, log, purchases: PURCHASES }, async ({ world, run, finish }) => {
    const { database: cluster, members } = world
    const failures: string[] = []
    const backup = cluster.backUp()
    log(`The base backup is in ${backup}.`)
    await delay(ACTIVITY)
    const [{ second }] = (await cluster.query<{ second: Date }>(
      `select date_trunc('second', now()) + interval '1 second' as second`,
    )) as [{ second: Date }]
    log(`The chosen second: ${second.toISOString()}.`)
    /** By real time, unlike withdrawals. */
    const readLast = async () => {
      const [row] = await cluster.query<{ at: Date | null; later: number }>(
        'select max(signed_at) as at, count(*) filter (where signed_at > $1)::int as later from payouts',
        [second],
      )
      return row!
    }
    await delay(ACTIVITY)
    await until(async () => (await readLast().catch(() => ({ later: 0 }))).later >= 2, MAX_AFTER)
    const after = (await readLast()).later
    for (const member of members) member.pause()
    await cluster.archiveLog({ timeout: ARCHIVE_TIMEOUT })
    log(`${after} payouts were signed after it. The cluster ends; restoring …`)

    const startedAt = Date.now()
    await cluster.replaceByRestored({ backup, second })
    run.history.restore = { backedUpAt: second.getTime() - SECOND, restoredAt: Date.now() }
    const last = await readLast()
    if (last.later > 0) failures.push(`${last.later} payouts are later than the chosen second.`)
    log(`Restored in ${((Date.now() - startedAt) / SECOND).toFixed(1)} s. The last payout: ${last.at?.toISOString() ?? 'none'}.`)
    for (const member of members) member.kill()
    const reviewed = await runOperator(world, 'review-payments', 'none')
    if (reviewed.code !== 0) failures.push(`review-payments failed: ${reviewed.output}`)
    const audit = await runAudit('', { DATA_DIR: world.folder })
    log(`The audit before reconciling: ${audit.output.trimEnd().split('\n').at(-1)}`)
    const stops = async () =>
      (await cluster.query('select from payout_wallets where stopped_because is not null').catch(() => [])).length > 0
    if (await until(stops, 2 * MAX_AFTER)) log('Payouts have stopped.')
    else failures.push('payouts did not stop, though some of them are unknown.')

    const settled = await finish()
    const lost = await countLost(run.history, (table) => cluster.query<{ id: string }>(`select id from ${table}`))
    return {
      figures: { ...settled.figures, 'payouts signed after the chosen second': after, ...lost },
      failures: [...failures, ...settled.failures],
    }
  })
