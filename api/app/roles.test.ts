import { expect, test } from 'vitest'
import { type AdminRole, adminRoles } from '#shared/adminRoles.ts'
import { newId } from '#api/platform/db/newId.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { nameOf, readContract } from '#api/testing/readContract.ts'
import { startServer } from '#api/testing/server.ts'

const database = useDatabase()

const everybody = adminRoles
const support: readonly AdminRole[] = ['support', 'owner']
const finance: readonly AdminRole[] = ['finance', 'owner']
const workers: readonly AdminRole[] = ['support', 'finance', 'owner']
const accountants: readonly AdminRole[] = ['viewer', 'finance', 'owner']
const owners: readonly AdminRole[] = ['owner']

/** Who may call what, as decision 45 says. Written apart from the contract, so that a change there has to be meant. */
const table: Record<string, readonly AdminRole[]> = {
  // The own account
  'GET /api/admin/auth/user': everybody,
  'GET /api/admin/otp/status': everybody,
  'POST /api/admin/otp/setup': everybody,
  'POST /api/admin/otp/enable': everybody,
  'POST /api/admin/otp/disable': everybody,
  'GET /api/admin/passkeys': everybody,
  'POST /api/admin/passkeys/challenge': everybody,
  'POST /api/admin/passkeys/options': everybody,
  'POST /api/admin/passkeys': everybody,
  'POST /api/admin/passkeys/:id/remove': everybody,
  'GET /api/admin/settings/credentials': everybody,
  'PATCH /api/admin/settings/credentials': everybody,

  // What is shown
  'GET /api/admin/stats': everybody,
  'GET /api/admin/charts': everybody,
  'GET /api/admin/waiting': everybody,
  'GET /api/admin/health': everybody,
  'GET /api/admin/find': everybody,
  'GET /api/admin/users': everybody,
  'GET /api/admin/users/search': everybody,
  'GET /api/admin/users/summary': everybody,
  'GET /api/admin/deposits': everybody,
  'GET /api/admin/withdrawals/summary': everybody,
  'GET /api/admin/books/month': everybody,
  'GET /api/admin/users/:id/xcr-details': everybody,
  'GET /api/admin/users/:id/details': everybody,
  'GET /api/admin/users/:id/purchases': everybody,
  'GET /api/admin/users/:id/deposits': everybody,
  'GET /api/admin/users/:id/nodes': everybody,
  'GET /api/admin/users/:id/rewards': everybody,
  'GET /api/admin/users/:id/withdrawals': everybody,
  'GET /api/admin/users/:id/wallets': everybody,
  'GET /api/admin/users/:id/mails': everybody,
  'GET /api/admin/users/:id/inbox': everybody,
  'GET /api/admin/users/:id/audit': everybody,
  'GET /api/admin/users/:id/holds': everybody,
  'GET /api/admin/users/:id/notes': everybody,
  'GET /api/admin/purchases': everybody,
  'GET /api/admin/pending-reviews': everybody,
  'GET /api/admin/ignored-deposits': everybody,
  'GET /api/admin/withdrawals': everybody,
  'GET /api/admin/withdrawals/search': everybody,
  'GET /api/admin/bonus-status': everybody,
  'GET /api/admin/bonus-due': everybody,
  'GET /api/admin/announcements': everybody,
  'GET /api/admin/incidents': everybody,
  'GET /api/admin/payout-caps': everybody,
  'GET /api/admin/reward-rates': everybody,
  'GET /api/admin/settings/ip-access': everybody,
  'GET /api/admin/audit': everybody,
  'GET /api/admin/proposals': everybody,

  // Decisions about proposals depend on the role for what was proposed, too
  'POST /api/admin/proposals/:id/approve': finance,
  'POST /api/admin/proposals/:id/reject': finance,
  'POST /api/admin/proposals/:id/withdraw': everybody,

  // Everybody's data in one file
  'GET /api/admin/audit/export': accountants,
  'GET /api/admin/users/export': finance,
  'GET /api/admin/purchases/download': finance,
  'GET /api/admin/deposits/export': finance,
  'GET /api/admin/bonus-status/export': finance,
  'GET /api/admin/books/ledger': finance,
  'GET /api/admin/books/payouts': finance,
  'GET /api/admin/books/rewards': finance,
  'GET /api/admin/withdrawals/export': finance,

  // People
  'POST /api/admin/users/:id/notes': workers,
  'POST /api/admin/users/:id/reset-password': support,
  'POST /api/admin/users/:id/reset-authenticator': support,
  'POST /api/admin/users/:id/reset-authenticator/cancel': support,
  'POST /api/admin/users/:id/freeze': workers,
  'POST /api/admin/users/:id/thaw': support,
  'POST /api/admin/announcements': support,
  'POST /api/admin/incidents': workers,
  'PATCH /api/admin/incidents/:id': workers,
  'POST /api/admin/incidents/:id/resolve': workers,

  // Money
  'POST /api/admin/purchase/:id/manual-confirm': finance,
  'POST /api/admin/purchase/:id/approve': finance,
  'POST /api/admin/purchase/:id/reject': finance,
  'POST /api/admin/purchase/:id/cancel': finance,
  'POST /api/admin/deposits/:id/assign': finance,
  'POST /api/admin/deposits/:id/refunded': finance,
  'POST /api/admin/deposits/:id/ignore': finance,
  'POST /api/admin/deposits/:id/restore': finance,
  'POST /api/admin/assign-bonus': finance,
  'POST /api/admin/assign-bonus/due': finance,
  'POST /api/admin/withdrawals/:id/approve': finance,
  'POST /api/admin/withdrawals/:id/reject': finance,
  'POST /api/admin/withdrawals/:id/mark-paid': finance,

  // The installation
  'POST /api/admin/system-settings': owners,
  'POST /api/admin/payout-caps': owners,
  'POST /api/admin/reward-rates': owners,
  'POST /api/admin/vesting/start': owners,
  'POST /api/admin/vesting/reset': owners,
  'POST /api/admin/settings/ip-access': owners,
  'DELETE /api/admin/settings/ip-access': owners,
  'GET /api/admin/administrators': owners,
  'POST /api/admin/administrators/invitations': owners,
  'POST /api/admin/administrators/invitations/:id/revoke': owners,
  'PATCH /api/admin/administrators/:id': owners,
  'POST /api/admin/administrators/:id/remove': owners,
}

test('each role may call exactly what the table says', async () => {
  const endpoints = (await readContract()).filter(({ access }) => access === 'admin')
  expect(endpoints.map(nameOf).toSorted(), 'every endpoint has its row, and every row its endpoint').toEqual(
    Object.keys(table).toSorted(),
  )
  const server = await startServer(database)
  const allowed: Record<string, AdminRole[]> = Object.fromEntries(Object.keys(table).map((name) => [name, []]))
  for (const role of adminRoles) {
    const { browser } = await openAdministrator(server, { role })
    for (const endpoint of endpoints) {
      const { method, path } = endpoint
      const response = await browser.fetch(server.url + path.replaceAll(/:\w+/g, () => newId()), {
        method,
        ...((method === 'POST' || method === 'PATCH') && {
          headers: { 'content-type': 'application/json' },
          body: '{}',
        }),
      })
      await response.arrayBuffer()
      expect([200, 400, 403, 404, 409, 428], nameOf(endpoint)).toContain(response.status)
      if (response.status !== 403) allowed[nameOf(endpoint)]!.push(role)
    }
  }
  expect(allowed).toEqual(table)
})
