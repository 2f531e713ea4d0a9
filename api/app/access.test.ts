import Router from '@koa/router'
import { expect, test } from 'vitest'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { ADMIN_EVENTS_PATH, EVENTS_PATH } from '#shared/contract/events.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { demoRoutes } from '#api/dev/demo/demoRoutes.ts'
import { ADMIN_ADDRESS, callers, openCallers } from '#api/testing/callers.ts'
import { useDatabase } from '#api/testing/database.ts'
import { nameOf, readContract } from '#api/testing/readContract.ts'
import { startServer, type TestServer } from '#api/testing/server.ts'
import { features } from './createApp.ts'

const database = useDatabase()

type Statuses = readonly [number, number, number, number, number, number]

/** Every caller gets the same status. */
const everybody = (status: number): Statuses => [status, status, status, status, status, status]
/** Users only. An administrator's session does not count as a user's. */
const users = (status: number): Statuses => [401, status, status, 401, 401, 401]
/** The login of the back office: open to every caller from an allowed address. */
const adminLogin = (status: number): Statuses => [status, status, status, status, 403, status]
const admins = (status: number): Statuses => [401, 401, 401, status, 403, 401]

/**
 * The expected status of each endpoint for each kind of caller. Each call has an empty body and an id that does not exist. So a 400, 404 or
 * 409 shows that the caller has access, and a 401 or 403 that the caller has none.
 */
const table: Record<string, Statuses> = {
  'GET /api/config': everybody(200),
  'GET /api/openapi.json': everybody(200),
  'GET /api/settings/nodes': everybody(200),
  'GET /api/setup/status': everybody(200),
  'GET /api/stats/nodes': everybody(200),
  'GET /api/status': everybody(200),
  // The page is a number, so an unknown id is not found.
  'GET /api/stats/nodes/pages/:page': everybody(404),
  'GET /api/system-settings': everybody(200),
  'GET /api/auth/captcha/challenge': everybody(200),
  'POST /api/auth/verify-captcha': everybody(400),
  'POST /api/auth/email/send-verification-code': everybody(400),
  'POST /api/auth/email/verify-code': everybody(400),
  'POST /api/auth/password/forgot': everybody(400),
  'POST /api/auth/password/reset': everybody(400),
  'POST /api/login': everybody(400),
  'POST /api/freeze': everybody(400),
  'POST /api/freeze/link': everybody(400),
  'POST /api/auth/account/freeze': users(400),
  'POST /api/auth/account/thaw': users(400),
  'POST /api/login/passkey/options': everybody(200),
  'POST /api/login/passkey': everybody(400),
  'POST /api/logout': everybody(200),
  'POST /api/register': everybody(400),
  'POST /api/setup/initialize': everybody(400),
  'POST /api/demo/clock': everybody(400),
  'POST /api/demo/fund': everybody(400),

  'GET /api/auth/user': users(200),
  'PATCH /api/auth/user/wallet': users(400),
  'PATCH /api/auth/change-password': users(400),
  'GET /api/auth/sessions': users(200),
  'DELETE /api/auth/sessions': users(200),
  'GET /api/auth/otp/status': users(200),
  'POST /api/auth/otp/setup': users(200),
  'POST /api/auth/otp/enable': users(400),
  'POST /api/auth/otp/disable': users(400),
  'POST /api/auth/otp/verify': users(400),
  'POST /api/auth/otp/recovery-codes': users(409),
  'GET /api/auth/passkeys': users(200),
  'POST /api/auth/passkeys/options': users(400),
  'POST /api/auth/passkeys': users(400),
  'DELETE /api/auth/passkeys/:id': users(404),
  'GET /api/user/nodes': users(200),
  'GET /api/user/notifications': users(200),
  'PATCH /api/user/notifications': users(400),
  'GET /api/inbox': users(200),
  'GET /api/inbox/unread': users(200),
  'POST /api/inbox/read': users(400),
  'GET /api/inbox/choices': users(200),
  'PATCH /api/inbox/choices': users(400),
  // Push messages are off on this server.
  'POST /api/push/subscription': users(400),
  'DELETE /api/push/subscription': users(200),
  'GET /api/node-purchases': users(200),
  'POST /api/node-purchase': users(400),
  'GET /api/payments': users(200),
  'GET /api/node-purchase/reservation': users(200),
  'POST /api/node-purchase/reservation': users(400),
  'DELETE /api/node-purchase/reservation': users(200),
  'GET /api/xcr-distribution-logs': users(200),
  'GET /api/xcr-withdrawals': users(200),
  'POST /api/xcr-withdrawal': users(400),
  'POST /api/xcr-withdrawals/:id/cancel': users(404),
  'GET /api/xcr-withdrawals/limit': users(200),
  'PATCH /api/xcr-withdrawals/limit': users(400),
  'GET /api/history/statement': users(200),
  'GET /api/history/tax': users(200),
  // The register of this server is off.
  'POST /api/register/key/show': users(404),
  'POST /api/register/key': users(404),
  'GET /api/register/day/:day': users(400),
  'GET /api/register/days': users(404),
  'GET /api/register/receipts': users(404),

  'GET /api/admin/login-status': adminLogin(200),
  'POST /api/admin/login': adminLogin(400),
  'POST /api/admin/login/verify-otp': adminLogin(400),
  // Only a half-logged-in administrator with passkeys gets further; this one has none.
  'POST /api/admin/login/passkey/options': [403, 403, 403, 403, 403, 400],
  'POST /api/admin/login/passkey': adminLogin(400),
  'POST /api/admin/logout': adminLogin(200),

  'POST /api/admin/invitations/accept': adminLogin(400),
  'GET /api/admin/administrators': admins(200),
  'POST /api/admin/administrators/invitations': admins(400),
  'POST /api/admin/administrators/invitations/:id/revoke': admins(404),
  'PATCH /api/admin/administrators/:id': admins(400),
  'POST /api/admin/administrators/:id/remove': admins(400),
  'GET /api/admin/auth/user': admins(200),
  'GET /api/admin/otp/status': admins(200),
  'POST /api/admin/otp/setup': admins(200),
  'POST /api/admin/otp/enable': admins(400),
  'POST /api/admin/otp/disable': admins(400),
  'GET /api/admin/passkeys': admins(200),
  'POST /api/admin/passkeys/challenge': admins(400),
  'POST /api/admin/passkeys/options': admins(400),
  'POST /api/admin/passkeys': admins(400),
  'POST /api/admin/passkeys/:id/remove': admins(400),
  'GET /api/admin/purchases': admins(200),
  'GET /api/admin/purchases/download': admins(200),
  'GET /api/admin/pending-reviews': admins(200),
  'GET /api/admin/ignored-deposits': admins(200),
  'GET /api/admin/deposits': admins(200),
  'GET /api/admin/deposits/export': admins(200),
  'POST /api/admin/purchase/:id/approve': admins(404),
  'POST /api/admin/purchase/:id/reject': admins(404),
  'POST /api/admin/purchase/:id/cancel': admins(400),
  'POST /api/admin/purchase/:id/manual-confirm': admins(400),
  'POST /api/admin/deposits/:id/assign': admins(400),
  'POST /api/admin/deposits/:id/refunded': admins(400),
  'POST /api/admin/deposits/:id/ignore': admins(400),
  'POST /api/admin/deposits/:id/restore': admins(400),
  'GET /api/admin/bonus-status': admins(200),
  'GET /api/admin/bonus-status/export': admins(200),
  'GET /api/admin/bonus-due': admins(200),
  'POST /api/admin/assign-bonus': admins(400),
  'POST /api/admin/assign-bonus/due': admins(400),
  'GET /api/admin/settings/credentials': admins(200),
  'PATCH /api/admin/settings/credentials': admins(400),
  'GET /api/admin/settings/ip-access': admins(200),
  'POST /api/admin/settings/ip-access': admins(400),
  'DELETE /api/admin/settings/ip-access': admins(200),

  'GET /api/admin/stats': admins(200),
  'GET /api/admin/waiting': admins(200),
  'GET /api/admin/charts': admins(200),
  'GET /api/admin/health': admins(200),
  'POST /api/admin/vesting/start': admins(200),
  'POST /api/admin/vesting/reset': admins(200),
  'POST /api/admin/system-settings': admins(400),
  'GET /api/admin/announcements': admins(200),
  'POST /api/admin/announcements': admins(400),
  'GET /api/admin/incidents': admins(200),
  'POST /api/admin/incidents': admins(400),
  'PATCH /api/admin/incidents/:id': admins(400),
  'POST /api/admin/incidents/:id/resolve': admins(404),
  'GET /api/admin/payout-caps': admins(200),
  'POST /api/admin/payout-caps': admins(400),
  'GET /api/admin/reward-rates': admins(200),
  'POST /api/admin/reward-rates': admins(400),
  'GET /api/admin/proposals': admins(200),
  'POST /api/admin/proposals/:id/approve': admins(400),
  'POST /api/admin/proposals/:id/reject': admins(400),
  'POST /api/admin/proposals/:id/withdraw': admins(404),
  'GET /api/admin/audit': admins(200),
  'GET /api/admin/audit/export': admins(200),

  'GET /api/admin/books/month': admins(400),
  'GET /api/admin/books/ledger': admins(200),
  'GET /api/admin/books/rewards': admins(200),
  'GET /api/admin/books/payouts': admins(200),

  'GET /api/admin/find': admins(400),
  'GET /api/admin/users': admins(200),
  'GET /api/admin/users/search': admins(400),
  'GET /api/admin/users/summary': admins(200),
  'GET /api/admin/users/export': admins(200),
  'POST /api/admin/users/:id/reset-password': admins(404),
  'POST /api/admin/users/:id/reset-authenticator': admins(400),
  'POST /api/admin/users/:id/reset-authenticator/cancel': admins(404),
  'POST /api/admin/users/:id/freeze': admins(400),
  'POST /api/admin/users/:id/thaw': admins(400),
  'GET /api/admin/users/:id/xcr-details': admins(404),
  'GET /api/admin/users/:id/details': admins(404),
  'GET /api/admin/users/:id/purchases': admins(404),
  'GET /api/admin/users/:id/deposits': admins(404),
  'GET /api/admin/users/:id/nodes': admins(404),
  'GET /api/admin/users/:id/rewards': admins(404),
  'GET /api/admin/users/:id/withdrawals': admins(404),
  'GET /api/admin/users/:id/wallets': admins(404),
  'GET /api/admin/users/:id/mails': admins(404),
  'GET /api/admin/users/:id/inbox': admins(404),
  'GET /api/admin/users/:id/audit': admins(404),
  'GET /api/admin/users/:id/holds': admins(404),
  'GET /api/admin/users/:id/notes': admins(404),
  'POST /api/admin/users/:id/notes': admins(400),

  'GET /api/admin/withdrawals': admins(200),
  'GET /api/admin/withdrawals/search': admins(400),
  'GET /api/admin/withdrawals/summary': admins(200),
  'GET /api/admin/withdrawals/export': admins(200),
  'POST /api/admin/withdrawals/:id/approve': admins(404),
  'POST /api/admin/withdrawals/:id/reject': admins(400),
  'POST /api/admin/withdrawals/:id/mark-paid': admins(400),
}

async function send({ url }: TestServer, endpoint: Endpoint, headers: Record<string, string>): Promise<number> {
  const { method } = endpoint
  const filled = endpoint.path.replaceAll(/:\w+/g, () => newId())
  const body = method === 'POST' || method === 'PATCH' ? { body: '{}' } : {}
  const response = await fetch(url + filled, {
    method,
    headers: { ...headers, ...(body.body && { 'content-type': 'application/json' }) },
    ...body,
  })
  await response.arrayBuffer()
  return response.status
}

test('every endpoint gives each caller the expected status', async () => {
  const endpoints = await readContract()
  expect(endpoints.map(nameOf).toSorted(), 'every endpoint has its row, and every row its endpoint').toEqual(
    Object.keys(table).toSorted(),
  )
  const server = await startServer(database, { env: { TRUSTED_PROXIES: '1' }, extraRoutes: [demoRoutes] })
  const as = await openCallers(server)

  const answers: Record<string, number[]> = {}
  for (const endpoint of endpoints) {
    const statuses: number[] = []
    for (const caller of callers) {
      statuses.push(await send(server, endpoint, await as(caller)))
      // One call removes the restriction. It must not affect the calls after it.
      await sql(server.services.orm.em.fork(), 'update installation set admin_allowed_ips = $1', [[ADMIN_ADDRESS]])
    }
    answers[nameOf(endpoint)] = statuses
  }

  expect(answers).toEqual(table)
})

test('every route of the server is in the contract, except the event streams and the redirect to the login', async () => {
  const { services } = await startServer(database)
  const router = new Router()
  for (const register of [...features, demoRoutes]) register(router, services)

  const routes = router.stack.flatMap(({ path, methods }) =>
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(path)}`),
  )

  expect(routes.filter((route) => !(route in table))).toEqual([`GET ${EVENTS_PATH}`, `GET ${ADMIN_EVENTS_PATH}`])
})

test('exactly the endpoints for administrators are under /api/admin/, where the administrator session applies', async () => {
  for (const endpoint of await readContract()) {
    const isBackOffice = endpoint.path.startsWith('/api/admin/')
    expect([nameOf(endpoint), endpoint.access]).toEqual([
      nameOf(endpoint),
      isBackOffice ? expect.stringMatching(/^(admin|public)$/) : expect.stringMatching(/^(user|public)$/),
    ])
  }
})
