import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '#shared/dates.ts'
import { openRun, type Report, type RunOptions, until } from './openRun.ts'

/** A loss covers all purchases of the run. */
const PURCHASES = 120
/** The seconds before the loss, in which everything is replicated. */
const BEFORE = 15 * SECOND
/** At most, until payouts were sent that will be lost. */
const MAX_UNREPLICATED = 60 * SECOND
const MAX_WATCH = 120 * SECOND
const AFTER = 10 * SECOND

/**
 * Without confirmation by a standby the loss of the primary loses seconds. Shows that payouts then stop until they are reconciled, that nothing
 * is paid twice, and what is lost.
 */
export const runLoss = ({ log, ...options }: RunOptions): Promise<Report> =>
  openRun({ ...options, log, purchases: PURCHASES }, async ({ world, run, prober, finish }) => {
    const { database: cluster } = world
    await cluster.configure({
      synchronous_mode: false,
      synchronous_mode_strict: false,
      // The standbys are behind, and must be allowed to take over.
      maximum_lag_on_failover: 1_073_741_824,
    })
    await cluster.waitUntilWhole({ confirmed: false })
    await delay(BEFORE)
    const primary = await cluster.findPrimary()
    const standbys = cluster.nodes.filter((node) => node !== primary)
    const stalledAt = Date.now()
    for (const standby of standbys) standby.stopReceiving()
    log('Both standbys receive nothing more. Waiting for payouts that will be lost …')
    const countSent = async () => {
      const [row] = await cluster.query<{ count: number }>('select count(*)::int as count from payouts where signed_at > $1', [
        new Date(stalledAt),
      ])
      return row!.count
    }
    await until(async () => (await countSent().catch(() => 0)) >= 2, MAX_UNREPLICATED)
    const sent = await countSent()
    primary!.powerOff()
    const lostAt = Date.now()
    for (const standby of standbys) standby.resumeReceiving()
    log(`The primary is lost with what was written in ${((lostAt - stalledAt) / SECOND).toFixed(1)} s.`)
    const works = async () => prober.works(3 * SECOND) && (await cluster.findPrimary()) !== undefined
    const failures = (await until(works, MAX_WATCH)) ? [] : ['writes do not work again.']
    // What users were answered in between may be lost.
    run.history.restore = { backedUpAt: stalledAt, restoredAt: Date.now() }
    const recovery = prober.recoveryAfter(lostAt)
    log(`Writes work after ${(recovery / SECOND).toFixed(1)} s.`)
    const stops = async () =>
      (await cluster.query('select from payout_wallets where stopped_because is not null').catch(() => [])).length > 0
    const isStopped = await until(stops, MAX_WATCH)
    if (!isStopped) failures.push('payouts did not stop, though some of them are unknown.')
    else log('Payouts have stopped.')
    primary!.powerOn()
    await cluster.waitUntilWhole({ confirmed: false }).catch((error: Error) => failures.push(error.message))
    await delay(AFTER)

    const settled = await finish()
    const lost = await countLost(run.history, (table) => cluster.query<{ id: string }>(`select id from ${table}`))
    return {
      figures: {
        ...settled.figures,
        'seconds written and not replicated': (lostAt - stalledAt) / SECOND,
        'seconds until writes worked': recovery / SECOND,
        'payouts signed in this time': sent,
        ...lost,
      },
      failures: [...failures, ...settled.failures],
    }
  })

type ReadIds = (table: 'purchases' | 'withdrawals') => Promise<{ id: string }[]>

/** What users were told that it was done, and which is gone. */
export async function countLost({ purchases, withdrawals }: Report['history'], read: ReadIds): Promise<Record<string, number>> {
  const missing = (known: readonly { id: string }[], ids: readonly string[]) => {
    const all = new Set(known.map(({ id }) => id))
    return ids.filter((id) => !all.has(id)).length
  }
  return {
    'acknowledged purchases lost': missing(
      await read('purchases'),
      purchases.flatMap(({ purchaseIds }) => [...purchaseIds]),
    ),
    'acknowledged withdrawals lost': missing(
      await read('withdrawals'),
      withdrawals.flatMap(({ ids }) => [...ids]),
    ),
  }
}
