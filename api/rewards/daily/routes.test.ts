import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { advanceDemoClock } from '#shared/contract/demo.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { getUserNodes } from '#shared/contract/nodes.ts'
import { MAX_DISTRIBUTIONS, listDistributions } from '#shared/contract/rewards.ts'
import { createClock } from '#api/platform/clock/createClock.ts'
import { sql } from '#api/platform/db/sql.ts'
import { demoRoutes } from '#api/dev/demo/demoRoutes.ts'
import { jobs, sweeps } from '#api/app/schedule.ts'
import { runWorker } from '#api/platform/jobs/runWorker.ts'
import { usePaymentChain } from '#api/testing/chains.ts'
import { startHolders } from '#api/testing/holders.ts'
import { logIn, makeBuyer } from '#api/testing/people.ts'
import { startServer } from '#api/testing/server.ts'
import { User } from '#api/entities/User.ts'

const chain = usePaymentChain()

async function setup() {
  const holders = await startHolders()
  const server = await startServer(holders.database)
  const person = await makeBuyer(server)
  const at = (time: string) => {
    holders.at(time)
    server.clock.set(new Date(time))
  }
  return { ...holders, at, server, person, call: person.browser.call }
}

test('amounts keep 18 decimals from the setting to the API', async () => {
  const { at, setRate, giveNodes, pay, person, call, server } = await setup()
  at('2027-03-01T12:00:00Z')
  await setRate('123456789.000000000000000001')
  await giveNodes(person.user.id, { nodes: 3 })
  await giveNodes(person.user.id, { nodes: 2, activeFrom: '2027-03-03T08:00:00Z' })
  at('2027-03-02T09:00:00Z')
  await pay()

  const amount = parseAmount('370370367.000000000000000003')!
  const rate = parseAmount('123456789.000000000000000001')!
  expect(await call(listDistributions, {})).toEqual([
    { id: expect.any(String), amount, createdAt: new Date('2027-03-02T09:00:00Z'), activeNodes: 3, xcrPerNode: rate },
  ])
  expect((await call(getAuthUser, {})).balance).toEqual({ availableXcr: amount, totalEarnedXcr: amount })
  expect(await call(getUserNodes, {})).toMatchObject({
    totalDailyXcr: amount,
    activeNodes: 3,
    pendingNodes: 2,
    currentXcrPerNode: rate,
  })
  const answer = await person.browser.fetch(`${server.url}${listDistributions.path}`)
  expect(await answer.text()).toContain('"amount":"370370367.000000000000000003"')
})

test('the history contains only the caller’s distributions, latest first, up to a limit', async () => {
  const { at, openHolder, giveNodes, pay, person, call } = await setup()
  at('2027-03-01T12:00:00Z')
  expect(await call(listDistributions, {})).toEqual([])
  await openHolder({ nodes: 7 })
  await giveNodes(person.user.id)
  at('2028-06-01T12:00:00Z')
  await pay()

  const listed = await call(listDistributions, {})
  expect(listed).toHaveLength(MAX_DISTRIBUTIONS)
  expect(listed[0]).toMatchObject({ createdAt: new Date('2028-06-01T09:00:00Z'), activeNodes: 1 })
  expect(listed.at(-1)).toMatchObject({ createdAt: new Date('2027-04-29T09:00:00Z'), activeNodes: 1 })
  expect(new Set(listed.map(({ id }) => id)).size).toBe(MAX_DISTRIBUTIONS)
})

test('an anonymous caller is refused', async () => {
  const { server } = await setup()
  await expect(server.openBrowser().call(listDistributions, {})).rejects.toMatchObject({ status: 401 })
})

test('only paid users with a session get a change event', async () => {
  const { at, orm, openHolder, giveNodes, pay, person, server } = await setup()
  at('2027-03-01T12:00:00Z')
  await giveNodes(person.user.id)
  // One holder is paid but has no session, and one user has a session but no nodes.
  await openHolder()
  await makeBuyer(server)
  await sql(orm.em.fork(), 'delete from change_events')
  at('2027-03-02T09:00:00Z')
  await pay()

  expect(await sql(orm.em.fork(), 'select user_id, keys from change_events')).toEqual([
    { user_id: person.user.id, keys: [getAuthUser.path, listDistributions.path, getUserNodes.path] },
  ])
})

test('a demo that moves its clock past 09:00 is paid by the worker at once', async () => {
  const { orm, database, openHolder, clock } = await startHolders()
  clock.set(new Date())
  const holder = await openHolder({ nodes: 10 })
  const running = await createClock(orm, { demo: true })
  const env = { BSC_RPC_URLS: chain.url }
  await chain.mine()
  const server = await startServer(database, { env, replace: { clock: running }, extraRoutes: [demoRoutes] })
  const browser = server.openBrowser()
  await logIn(server, browser, await orm.em.fork().findOneOrFail(User, holder))
  const errors: unknown[] = []
  const worker = await runWorker(server.services, { jobs, sweeps }, (error) => errors.push(error))
  try {
    // In this day 09:00 comes once.
    await browser.call(advanceDemoClock, { body: { advanceHours: 24 } })
    await expect.poll(() => browser.call(listDistributions, {})).toHaveLength(1)
    expect((await browser.call(getAuthUser, {})).balance.availableXcr).toBe(parseAmount('100'))
  } finally {
    await worker.stop()
    await running.stop()
  }
  expect(errors).toEqual([])
})
