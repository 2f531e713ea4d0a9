import { setTimeout as delay } from 'node:timers/promises'
import { type Check, type Comparison, median } from '../Comparison.ts'
import { startOwnDatabase } from '../startOwnDatabase.ts'
import type { Parts } from '../startParts.ts'
import { fillLists, type ListSizes } from './fillLists.ts'
import { administratorCookie, logInAdministrator } from './logInAdministrator.ts'

const SMALL: ListSizes = { users: 1_000, purchases: 1_000, withdrawals: 1_000, deposits: 1_000 }
const LARGE: ListSizes = { users: 1_000_000, purchases: 2_000_000, withdrawals: 2_000_000, deposits: 1_000_000 }
const QUICK: ListSizes = { users: 100_000, purchases: 200_000, withdrawals: 200_000, deposits: 100_000 }
const ROUNDS = 25

/** Limits the time of a call as a multiple of its time with a thousand rows. */
const MAX_RATIO = 3
const MAX_LAST_PAGE_RATIO = 10
/** Limits a call, in milliseconds, whatever its ratio. */
const MAX_CALL = 150

/** Tables that must not be scanned sequentially. */
const largeTables = ['users', 'purchases', 'withdrawals', 'accounts']

/** An idle connection reports its scans after ten seconds. */
const STATISTICS_DELAY = 11_000

interface Call {
  name: string
  path: string | ((sizes: ListSizes) => string)
  maxRatio?: number
}

/**
 * Filters that nearly everything matches: they count and sum what matches (decision 41). No limit in milliseconds, but the time of a row does
 * not grow. The supply bounds the purchases, and decision 17 says what takes over.
 */
const callsOfAll: readonly Call[] = [
  { name: 'purchases, filtered, a quarter of them', path: '/api/admin/purchases?email=mail.test' },
  { name: 'purchases from an amount on, largest first', path: '/api/admin/purchases?min=1&sort=largest' },
  { name: 'withdrawals of a year', path: '/api/admin/withdrawals?from=2025-11-01T00:00:00.000Z&until=2026-11-01T00:00:00.000Z' },
  { name: 'confirmed purchases', path: '/api/admin/purchases?status=confirmed' },
  { name: 'ignored deposits', path: '/api/admin/ignored-deposits' },
  { name: 'users by balance', path: '/api/admin/users?sort=balance' },
  { name: 'users by XCR earned', path: '/api/admin/users?sort=earned' },
  { name: 'users without nodes', path: '/api/admin/users?status=without_nodes' },
  { name: 'deposits from an amount on', path: '/api/admin/deposits?min=1' },
].map((call) => ({ ...call, maxRatio: LARGE.purchases / SMALL.purchases }))
const ROUNDS_OF_ALL = 3

const last = (path: string, count: number, limit: number) => `${path}?limit=${limit}&offset=${count - limit}`

const calls: readonly Call[] = [
  { name: 'users', path: '/api/admin/users' },
  { name: 'users, last page', path: ({ users }) => last('/api/admin/users', users, 15), maxRatio: MAX_LAST_PAGE_RATIO },
  { name: 'users, search with one result', path: '/api/admin/users/search?email=84d9ee44e457' },
  { name: 'users, search without results', path: '/api/admin/users/search?email=nobody' },
  { name: 'users, search with over a thousand results', path: '/api/admin/users/search?email=MAIL.test' },
  { name: 'users, search with two letters', path: '/api/admin/users/search?email=ab' },
  { name: 'withdrawals and their statistics', path: '/api/admin/withdrawals' },
  {
    name: 'withdrawals, last page',
    path: ({ withdrawals }) => last('/api/admin/withdrawals', withdrawals, 20),
    maxRatio: MAX_LAST_PAGE_RATIO,
  },
  { name: 'withdrawals, search with one result', path: '/api/admin/withdrawals/search?email=84d9ee44e457' },
  { name: 'withdrawals, search with over a thousand results', path: '/api/admin/withdrawals/search?email=mail.test' },
  { name: 'purchases', path: '/api/admin/purchases' },
  {
    name: 'purchases, last page',
    path: ({ purchases }) => last('/api/admin/purchases', purchases, 15),
    maxRatio: MAX_LAST_PAGE_RATIO,
  },
  { name: 'purchases, filtered, with sums', path: '/api/admin/purchases?email=84d9ee44e457' },
  { name: 'bonuses', path: '/api/admin/bonus-status?page=1' },
  {
    name: 'bonuses, last page',
    path: ({ users }) => `/api/admin/bonus-status?page=${Math.ceil(users / 15)}`,
    maxRatio: MAX_LAST_PAGE_RATIO,
  },
  { name: 'bonuses by nodes', path: '/api/admin/bonus-status?sort=paid' },
  { name: 'bonuses by received', path: '/api/admin/bonus-status?sort=received' },
  { name: 'users, oldest', path: '/api/admin/users?sort=oldest' },
  { name: 'users by email', path: '/api/admin/users?sort=email' },
  { name: 'users by nodes', path: '/api/admin/users?sort=nodes' },
  { name: 'frozen users', path: '/api/admin/users?status=frozen' },
  { name: 'purchases, oldest', path: '/api/admin/purchases?sort=oldest' },
  { name: 'purchases, largest', path: '/api/admin/purchases?sort=largest' },
  { name: 'withdrawals, oldest', path: '/api/admin/withdrawals?sort=oldest' },
  { name: 'withdrawals, smallest', path: '/api/admin/withdrawals?sort=smallest' },
  { name: 'deposits, largest', path: '/api/admin/deposits?sort=largest' },
  { name: 'late deposits', path: '/api/admin/deposits?kind=late' },
  { name: 'the report of a month', path: '/api/admin/books/month?month=2026-10' },
  { name: 'figures', path: '/api/admin/stats' },
  { name: 'charts', path: '/api/admin/charts' },
  { name: 'what waits', path: '/api/admin/waiting' },
  { name: 'search for anything', path: '/api/admin/find?text=84d9ee44e457' },
  { name: 'purchases in review', path: '/api/admin/purchases?status=waiting' },
  { name: 'withdrawals in review', path: '/api/admin/withdrawals?status=waiting' },
  { name: 'completed withdrawals', path: '/api/admin/withdrawals?status=completed' },
  { name: 'pending bonuses', path: '/api/admin/bonus-status?status=pending' },
  { name: 'bonuses, search', path: '/api/admin/bonus-status?email=84d9ee44e457' },
  { name: 'deposits', path: '/api/admin/deposits' },
  { name: 'deposits in review', path: '/api/admin/deposits?status=review' },
  { name: 'deposits, search with one result', path: '/api/admin/deposits?search=84d9ee44e457' },
  { name: 'reviews', path: '/api/admin/pending-reviews' },
  { name: 'audit log', path: '/api/admin/audit' },
  { name: 'audit log by action', path: '/api/admin/audit?action=login' },
  { name: 'audit log by person', path: '/api/admin/audit?person=84d9ee44e457' },
]

/** Measures the calls of the back office's lists, alternating between a small and a large database. */
export async function measureAdminLists(
  parts: Parts,
  { quick = false }: { quick?: boolean } = {},
): Promise<(Comparison | Check)[]> {
  const large = quick ? QUICK : LARGE
  const [few, many] = [await startOffice(parts, 'few_rows', SMALL), await startOffice(parts, 'many_rows', large)]
  const results: (Comparison | Check)[] = []
  async function compare({ name, path, maxRatio = MAX_RATIO }: Call, rounds = ROUNDS): Promise<Times> {
    const times: Record<'few' | 'many', number[]> = { few: [], many: [] }
    for (let round = 0; round < rounds; round += 1) {
      times.few.push(await few.measure(typeof path === 'string' ? path : path(SMALL)))
      times.many.push(await many.measure(typeof path === 'string' ? path : path(large)))
    }
    const [short, long] = [median(times.few), median(times.many)]
    return { name, short, long, maxRatio }
  }
  /** Both limits hold: in milliseconds, and as a multiple of the time with few rows unless that is small. */
  const limited = ({ name, short, long, maxRatio }: Times): Check => ({
    subject: `back office: ${name}`,
    measured: `${long.toFixed(1)} ms with ${large.users.toLocaleString('en-US')} users`,
    comparedWith: `${short.toFixed(1)} ms with 1,000 (at most ${maxRatio} times), ${MAX_CALL} ms`,
    holds: long <= MAX_CALL && long <= short * maxRatio,
  })
  const perRow = ({ name, short, long, maxRatio }: Times): Comparison => ({
    subject: `back office: ${name}`,
    measured: `${long.toFixed(1)} ms with ${large.users.toLocaleString('en-US')} users`,
    comparedWith: `${short.toFixed(1)} ms with 1,000`,
    ratio: long / short,
    goal: { bound: 'atMost', value: maxRatio },
  })
  try {
    const ofAll: Times[] = []
    for (const call of callsOfAll) ofAll.push(await compare(call, ROUNDS_OF_ALL))
    await delay(STATISTICS_DELAY)
    const before = await many.countScans()
    for (const call of calls) results.push(limited(await compare(call)))
    results.push(...ofAll.map(perRow))
    await many.stop()
    const after = await many.countScans()
    const scanned = largeTables.filter((table) => after[table] !== before[table])
    results.push({
      subject: 'back office: sequentially scanned large tables',
      measured: scanned.join(', ') || 'none',
      comparedWith: 'none',
      holds: scanned.length === 0,
    })
    return results
  } finally {
    await Promise.all([few.close(), many.close()])
  }
}

/** Medians in milliseconds. */
interface Times {
  name: string
  short: number
  long: number
  maxRatio: number
}

interface Office {
  /** Returns the duration of a call in milliseconds. */
  measure(path: string): Promise<number>
  /** Returns the number of sequential scans of each table. */
  countScans(): Promise<Record<string, number>>
  stop(): Promise<void>
  close(): Promise<void>
}

async function startOffice(parts: Parts, name: string, sizes: ListSizes): Promise<Office> {
  const { port, client, stop, close } = await startOwnDatabase(parts, name)
  try {
    await fillLists(client, sizes)
    await logInAdministrator(client)
  } catch (error) {
    await close()
    throw error
  }
  return {
    async measure(path) {
      const started = performance.now()
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: administratorCookie })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`${path} answered ${response.status}.`)
      return performance.now() - started
    },
    async countScans() {
      const { rows } = await client.query<{ relname: string; seq_scan: string }>(
        'select relname, seq_scan from pg_stat_user_tables where relname = any($1)',
        [largeTables],
      )
      return Object.fromEntries(rows.map(({ relname, seq_scan }) => [relname, Number(seq_scan)]))
    },
    stop,
    close,
  }
}
