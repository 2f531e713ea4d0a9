import { type Check, type Comparison, median } from '../Comparison.ts'
import { startOwnDatabase } from '../startOwnDatabase.ts'
import type { Parts } from '../startParts.ts'
import { fillLists, type ListSizes } from './fillLists.ts'
import { administratorCookie, logInAdministrator } from './logInAdministrator.ts'

const SMALL: ListSizes = { users: 1_000, purchases: 1_000, withdrawals: 1_000 }
const LARGE: ListSizes = { users: 1_000_000, purchases: 2_000_000, withdrawals: 2_000_000 }
const QUICK: ListSizes = { users: 100_000, purchases: 200_000, withdrawals: 200_000 }
const ROUNDS = 25

/** Limits the time of a call as a multiple of its time with a thousand rows. */
const MAX_RATIO = 3
const MAX_LAST_PAGE_RATIO = 10

/** Tables that must not be scanned sequentially. */
const largeTables = ['users', 'purchases', 'withdrawals', 'accounts']

interface Call {
  name: string
  path: string | ((sizes: ListSizes) => string)
  maxRatio?: number
}

/** Reads every match for its sums: all purchases here. At most as much longer as there are more of them. */
const filterOfAll: Call = {
  name: 'purchases, filtered, all of them',
  path: '/api/admin/purchases?email=mail.test',
  maxRatio: LARGE.purchases / SMALL.purchases / 10,
}
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
  { name: 'figures', path: '/api/admin/stats' },
  { name: 'charts', path: '/api/admin/charts' },
]

/** Measures the calls of the back office's lists, alternating between a small and a large database. */
export async function measureAdminLists(
  parts: Parts,
  { quick = false }: { quick?: boolean } = {},
): Promise<(Comparison | Check)[]> {
  const large = quick ? QUICK : LARGE
  const [few, many] = [await startOffice(parts, 'few_rows', SMALL), await startOffice(parts, 'many_rows', large)]
  const results: (Comparison | Check)[] = []
  async function compare({ name, path, maxRatio = MAX_RATIO }: Call, rounds = ROUNDS): Promise<Comparison> {
    const times: Record<'few' | 'many', number[]> = { few: [], many: [] }
    for (let round = 0; round < rounds; round += 1) {
      times.few.push(await few.measure(typeof path === 'string' ? path : path(SMALL)))
      times.many.push(await many.measure(typeof path === 'string' ? path : path(large)))
    }
    const [short, long] = [median(times.few), median(times.many)]
    return {
      subject: `back office: ${name}`,
      measured: `${long.toFixed(1)} ms with ${large.users.toLocaleString('en-US')} users`,
      comparedWith: `${short.toFixed(1)} ms with 1,000`,
      ratio: long / short,
      goal: { bound: 'atMost', value: maxRatio },
    }
  }
  try {
    const allFiltered = await compare(filterOfAll, ROUNDS_OF_ALL)
    const before = await many.countScans()
    for (const call of calls) results.push(await compare(call))
    results.push(allFiltered)
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
