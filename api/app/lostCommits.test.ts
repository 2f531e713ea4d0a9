import { randomUUID } from 'node:crypto'
import Router from '@koa/router'
import { describe, expect, test, vi } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import type { ApiError, CallOptions } from '#shared/contract/client.ts'
import { login } from '#shared/contract/identity.ts'
import { changePassword } from '#shared/contract/password.ts'
import * as purchases from '#shared/contract/purchases.ts'
import * as withdrawals from '#shared/contract/withdrawals.ts'
import { sql } from '#api/platform/db/sql.ts'
import { endpointsOf } from '#api/platform/http/route.ts'
import { usePaymentChain, useRewardChain } from '#api/testing/chains.ts'
import { type TestDatabase, useDatabase } from '#api/testing/database.ts'
import { makeUser, TEST_PASSWORD } from '#api/testing/factories.ts'
import { startDatabaseProxy } from '#api/testing/startDatabaseProxy.ts'
import { startServer } from '#api/testing/server.ts'
import { startWithdrawals } from '#api/testing/withdrawals.ts'
import { features } from './createApp.ts'

const database = useDatabase()
const payments = usePaymentChain()
const rewards = useRewardChain()

/** Starts a server whose connections break on demand, and sends a call whose commit is lost and then repeats it. */
async function setup() {
  const proxy = await startDatabaseProxy(database.url)
  const env = { BSC_RPC_URLS: payments.url, XCR_RPC_URLS: rewards.url, XCR_TOKEN_ADDRESS: rewards.token }
  // Its own connections would not go through the proxy.
  const { connections: _, ...own } = database
  const product = await startWithdrawals({ ...own, url: proxy.url } as TestDatabase, { env, isAwayExpected: true })
  const holder = await product.openHolder()
  await payments.mintUsdt(holder.wallet.address, parseAmount('100')!)
  const count = async (table: 'purchases' | 'withdrawals', where = 'true') => {
    const rows = await sql(database.orm.em.fork(), `select from ${table} where user_id = $1 and ${where}`, [holder.user.id])
    return rows.length
  }
  /** Breaks the connection at the commit, whose answer is lost or which is never sent. */
  const loseCommit = async <T>(call: (options: CallOptions) => Promise<T>, moment: 'before' | 'after'): Promise<T> => {
    const options = { idempotencyKey: randomUUID() }
    proxy.breakAt('commit', moment)
    await expect(call(options)).rejects.toMatchObject({ status: 503, code: 'busy' })
    // Until the database notices that the connection is gone, it holds the key.
    const repeat = () =>
      call(options).catch((error: ApiError) => (error.code === 'request_in_progress' ? undefined : Promise.reject(error)))
    return (await vi.waitUntil(repeat, { timeout: 60_000 })) as T
  }
  return { product, holder, count, loseCommit }
}

describe.for(['before', 'after'] as const)('a call that is repeated because its connection broke %s its commit', (moment) => {
  test('reserves and reports once', async () => {
    const { holder, count, loseCommit } = await setup()
    await holder.grantMark()
    const body = { requestedQuantity: 3 }
    const made = await loseCommit((options) => holder.browser.call(purchases.createReservation, { body }, options), moment)
    expect(await holder.browser.call(purchases.getReservation, {})).toMatchObject({ id: made.id })

    const { purchaseAmountUsdt } = made
    const report = { body: { ...body, purchaseAmountUsdt } }
    const { id } = await loseCommit((options) => holder.browser.call(purchases.createPurchase, report, options), moment)
    expect(id).toBe(made.id)
    expect(await count('purchases')).toBe(1)
  })

  test('releases once', async () => {
    const { holder, count, loseCommit } = await setup()
    await holder.grantMark()
    await holder.browser.call(purchases.createReservation, { body: { requestedQuantity: 2 } })
    await loseCommit((options) => holder.browser.call(purchases.releaseReservation, {}, options), moment)
    expect(await count('purchases', `status = 'cancelled'`)).toBe(1)
  })

  test('withdraws and cancels once', async () => {
    const { product, holder, count, loseCommit } = await setup()
    await holder.grantMark()
    const body = await product.sign(holder, '3000')
    const { id } = await loseCommit((options) => holder.browser.call(withdrawals.requestWithdrawal, { body }, options), moment)
    expect(await count('withdrawals')).toBe(1)

    const cancel = { params: { id } }
    await loseCommit((options) => holder.browser.call(withdrawals.cancelWithdrawal, cancel, options), moment)
    expect(await count('withdrawals', `status = 'failed'`)).toBe(1)
  })
})

test('a change without a key that fails after its commit is not called undone', async () => {
  const proxy = await startDatabaseProxy(database.url)
  const { connections: _, ...own } = database
  const server = await startServer({ ...own, url: proxy.url } as TestDatabase, { isAwayExpected: true })
  const { user } = await makeUser(database.orm.em.fork())
  const browser = server.openBrowser()
  const logIn = (password: string) => browser.call(login, { body: { email: user.email, password } })
  await logIn(TEST_PASSWORD)
  const newPassword = 'An0ther(word)'
  // The session gets a new id after the commit.
  proxy.breakAt('insert into web_sessions', 'before')

  await expect(browser.call(changePassword, { body: { currentPassword: TEST_PASSWORD, newPassword } })).rejects.toMatchObject({
    status: 503,
    serverMessage: "We can't tell whether this was done. Nothing was lost. Please check before you try again.",
  })

  await logIn(newPassword)
})

test('every call that moves nodes or XCR can be repeated with its key', async () => {
  const { services } = await startServer(database)
  const router = new Router({ sensitive: true })
  for (const register of features) register(router, services)
  const moves =
    /^\/api\/(node-purchase|xcr-withdrawal|admin\/(purchase|withdrawals|deposits|assign-bonus|reward-rates|vesting))\b/
  const endpoints = endpointsOf(router).filter(({ method, path }) => method !== 'GET' && moves.test(path))
  expect(endpoints.length).toBeGreaterThan(15)
  // The limit of an account's own withdrawals moves nothing.
  const others = endpoints.filter(({ idempotent, path }) => !idempotent && !path.endsWith('/limit'))
  expect(others.map(({ method, path }) => `${method} ${path}`)).toEqual([])
})
