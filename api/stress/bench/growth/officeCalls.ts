import { administratorCookie } from '../adminLists/logInAdministrator.ts'
import type { OwnDatabase } from '../startOwnDatabase.ts'

/** The four files are within the limit of 30 exports. */
const ROUNDS = 7
/** The first holder, who has the whole history. */
const HOLDER = '01900000-0000-7000-8000-000000000001'

/** It reads every account (decision 41). */
export const USERS_BY_BALANCE = '/api/admin/users?sort=balance'

/** The calls of the back office that read the ledger or the rewards, after the last day of the history. */
export function officeCalls(lastDay: string): [name: string, path: string][] {
  const month = lastDay.slice(0, 7)
  const first = `${month.slice(0, 4)}-01`
  return [
    ['the back office’s figures', '/api/admin/stats'],
    ['the back office’s charts', '/api/admin/charts'],
    ['what waits for administrators', '/api/admin/waiting'],
    ['the report of the current month', `/api/admin/books/month?month=${month}`],
    ['the report of the first month', `/api/admin/books/month?month=${first}`],
    ['everything about a holder', `/api/admin/users/${HOLDER}/details`],
    ['a holder’s oldest rewards', `/api/admin/users/${HOLDER}/rewards?offset=340`],
    ['a search for a holder', '/api/admin/find?text=1@example.com'],
    ['the first byte of a month of the ledger', `/api/admin/books/ledger?month=${first}&format=csv`],
    ['the first byte of the whole ledger', '/api/admin/books/ledger?format=csv'],
    ['the first byte of a month of rewards', `/api/admin/books/rewards?month=${first}&format=csv`],
    ['the first byte of all rewards', '/api/admin/books/rewards?format=csv'],
  ]
}

/** Milliseconds until a call answers, or a file begins. */
export async function callOffice({ port }: OwnDatabase, path: string): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const leaving = new AbortController()
    const started = performance.now()
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: administratorCookie, signal: leaving.signal })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    await response.body!.getReader().read()
    times.push(performance.now() - started)
    leaving.abort()
  }
  return times
}
