import { expect, test } from 'vitest'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { parseEther } from 'viem'
import { HOUR, MINUTE } from '#shared/dates.ts'
import * as office from '#shared/contract/admin/deposits.ts'
import { jobs } from '#api/app/schedule.ts'
import { prepareTables } from '#api/entities/prepareDatabase.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { sql } from '#api/platform/db/sql.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { type RegisterWorld, startRegister } from '#api/testing/registerWorld.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'
import { acknowledgeTransfer, attributeByHand } from '#api/withdrawals/payouts/decideTransfer.ts'
import { reconcilePayouts } from '#api/withdrawals/payouts/reconcilePayouts.ts'
import { publishNewest } from './publishRegister.ts'

const note = 'As agreed.'
const em = ({ server }: RegisterWorld) => server.services.orm.em.fork()

/** The values of a line in all entries of a kind, in the order of the log. */
async function linesOf(world: RegisterWorld, kind: string, name: string): Promise<(string | undefined)[]> {
  const entries = await world.entries()
  return entries
    .filter((text) => text.startsWith(`${kind}/v1\n`))
    .map((text) => new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}

async function buyTwo(world: RegisterWorld) {
  const buyer = await world.openBuyer()
  await world.reserve(buyer, 2)
  const hash = await world.pay(buyer.wallet, '6')
  await world.confirm()
  return { buyer, hash }
}

test('nodes that were frozen and restored before the update are published as such', async () => {
  const world = await startRegister({ mining: 'manual', confirmations: 2 })
  const settle = async () => {
    await world.chain.mine(3)
    await world.watch()
  }
  const buyer = await world.openBuyer()
  await world.reserve(buyer, 2)
  const hash = await world.pay(buyer.wallet, '6')
  await settle()
  const id = await world.depositOf(hash)
  await world.payDay()
  const [{ blockNumber }, head] = await Promise.all([world.chain.receipt(hash), world.chain.client.getBlockNumber()])
  await world.chain.reorganize(Number(head - blockNumber) + 1)
  await world.chain.mine()
  await world.watch()
  await world.payDay()
  await world.payDay()
  await world.call(office.restoreNodes, { params: { id }, body: { note } })
  await world.payDay()
  await settle()
  const { migrator, em } = world.database.superuser
  const first = 'Migration20261123181700_register'
  const later = await sql<{ name: string }>(
    em.fork(),
    `select name from mikro_orm_migrations where name >= $1 order by name desc`,
    [first],
  )
  await migrator.down({ migrations: later.map(({ name }) => name) })
  const { orm, ownerUrl } = world.database
  await prepareTables(orm, { ownerUrl, jobNames: jobs.map(({ name }) => name) })
  await world.publish()
  expect(await world.problems()).toEqual({})
  expect(await linesOf(world, 'deposit', 'decision')).toEqual(['orphaned', 'vanished'])
  expect(await linesOf(world, 'grant', 'cause')).toEqual(['unpaid'])
})

test('refunds of the release before name their transfers', async () => {
  const world = await startRegister()
  await buyTwo(world)
  const strangers = [await world.openStranger(), await world.openStranger()]
  const ids: string[] = []
  for (const stranger of strangers)
    ids.push(await world.pay(stranger, '10').then(async (hash) => (await world.confirm(), world.depositOf(hash))))
  const transactionHash = await world.sendBackAtOnce(strangers.map(({ address }) => [address, '10'] as const))
  for (const id of ids) await world.call(office.refundDeposit, { params: { id }, body: { transactionHash, note } })
  await sql(world.database.superuser.em.fork(), 'update deposits set refund_ordinal = null')
  await world.payDay()
  await world.publish()
  expect(await world.problems()).toEqual({})
  const refunds = (await linesOf(world, 'deposit', 'refund')).filter((refund) => refund !== '-')
  expect(new Set(refunds)).toEqual(new Set([`${transactionHash} 0`, `${transactionHash} 1`]))
})

test('payouts of a wallet that was replaced before the register began count as paid from elsewhere', async () => {
  const world = await startRegister()
  const { buyer } = await buyTwo(world)
  for (let day = 0; day < 3; day++) await world.payDay()
  await withdraw(world, buyer)
  await world.payOut()
  await world.payDay()
  const privateKey = generatePrivateKey()
  Object.assign(world.server.services.config, { PAYOUT_PRIVATE_KEY: privateKey })
  await world.publish()
  expect(await world.problems()).toEqual({})
  expect(await linesOf(world, 'payout', 'state')).toEqual(['elsewhere'])
})

const withdraw = (world: RegisterWorld, { user, wallet }: Awaited<ReturnType<typeof buyTwo>>['buyer']) =>
  insertWithdrawal(world.server.services.orm, {
    userId: user.id,
    amount: '30',
    toAddress: wallet.address,
    now: world.server.clock.now(),
  })

test('lost withdrawals are published as booked, and acknowledged transfers as foreign', async () => {
  const world = await startRegister()
  const { services } = world.server
  const { buyer } = await buyTwo(world)
  for (let day = 0; day < 3; day++) await world.payDay()
  await world.publish()
  // The key was used elsewhere, to a stranger and to an account.
  const key = privateKeyToAccount(services.config.PAYOUT_PRIVATE_KEY as `0x${string}`)
  const foreign = await world.rewards.transfer({ from: key, to: makeAccount().address, amount: parseEther('7') })
  const lost = await world.rewards.transfer({ from: key, to: buyer.wallet.address, amount: parseEther('25') })
  await world.rewards.mine(5)
  await world.payOut()
  const decision = { endpoints: rewardEndpoints(services.config), reason: 'By hand.', actor: 'operator:test' }
  await acknowledgeTransfer(services, { ...decision, hash: foreign, email: undefined })
  await attributeByHand(services, { ...decision, hash: lost, email: buyer.user.email })
  await reconcilePayouts(services, { ...decision, wallet: world.wallet })
  await world.payDay()
  await world.publish()
  expect(await world.problems()).toEqual({})
  expect(new Set(await linesOf(world, 'payout', 'state'))).toEqual(new Set(['booked', 'foreign']))
})

test('transfers to a new deposit address count from before its publication on', async () => {
  const world = await startRegister()
  const { buyer } = await buyTwo(world)
  await world.payDay()
  await world.publish()
  const added = makeAccount().address.toLowerCase() as `0x${string}`
  await sql(em(world), 'insert into deposit_addresses (address, added_at) values ($1, now())', [added])
  await world.chain.transferUsdt({ from: buyer.wallet, to: added, amount: parseEther('7') })
  await world.confirm()
  await world.confirm()
  await world.publish()
  await world.payDay()
  await world.publish()
  expect(await world.problems()).toEqual({})
  expect(await linesOf(world, 'deposit', 'decision')).toHaveLength(2)
})

/** The product's endpoints, with another one for the reward chain. */
function endpointsOf({ server }: RegisterWorld, rewardUrl: string) {
  const { config } = server.services
  return { payment: paymentEndpoints(config), reward: rewardEndpoints({ ...config, XCR_RPC_URLS: [rewardUrl] }) }
}

test('the reserve of a node without old states follows from its present balance', async () => {
  const world = await startRegister()
  const { buyer } = await buyTwo(world)
  for (let day = 0; day < 3; day++) await world.payDay()
  await withdraw(world, buyer)
  await world.payOut()
  await world.payDay()
  const newest = await world.rewards.client.getBlockNumber()
  const rpc = await startFaultyRpc(world.rewards.url)
  rpc.fail(({ method, params }) =>
    method === 'eth_call' && Number(params[1]) < newest ? { error: { code: -32_000, message: 'missing trie node' } } : undefined,
  )
  await world.publish({ endpoints: endpointsOf(world, rpc.url) })
  expect(await world.problems()).toEqual({})
  expect(await linesOf(world, 'books', 'reserve')).toEqual([expect.stringMatching(/^0x[0-9a-f]{40}:\d+$/)])
})

/** Lets more than a day pass on both chains and by the clock. */
async function passDay(world: Awaited<ReturnType<typeof startRegister>>): Promise<void> {
  const later = new Date(Date.now() + 26 * HOUR)
  for (const chain of [world.chain, world.rewards]) {
    await chain.mineAt(later)
    await chain.mine(3)
  }
  await world.watch()
  world.server.clock.set(new Date(later.getTime() + MINUTE))
}

test('a chain that cannot be read for a day makes no equation false, and publication goes on once it can', async () => {
  const world = await startRegister({ env: { ALERT_EMAIL: 'operator@example.com' } })
  const { services, clock } = world.server
  await buyTwo(world)
  await world.payDay()
  await world.publish()
  const before = await world.entries()
  const rpc = await startFaultyRpc(world.rewards.url)
  rpc.fail(() => 'drop')
  const endpoints = endpointsOf(world, rpc.url)
  await world.payDay()
  await passDay(world)
  await expect(publishNewest(services, { endpoints })).rejects.toThrow(
    'ALERT: the public register publishes no day: the reward chain cannot be read',
  )
  clock.advance(2 * HOUR)
  await expect(publishNewest(services, { endpoints })).rejects.toThrow(/^the public register publishes no day/)
  expect(await world.entries()).toEqual(before)
  expect(await mailsTo(world.database, 'operator@example.com')).toMatchObject([
    { text: expect.stringContaining('Publication continues by itself once this is over.') },
  ])
  rpc.heal()
  await publishNewest(services, { endpoints })
  expect(await linesOf(world, 'books', 'day')).toHaveLength(2)
  expect(await linesOf(world, 'note', 'topic')).not.toContain('held')
})

test('payouts that are stopped for a day make no equation false, and publication goes on once they are resumed', async () => {
  const world = await startRegister()
  const { services, clock } = world.server
  await buyTwo(world)
  await world.payDay()
  await world.tickPayouts()
  await world.publish()
  const before = await world.entries()
  const em = services.orm.em.fork()
  await sql(em, `update payout_wallets set stopped_because = 'A nonce is unknown.', stopped_at = $1`, [clock.now()])
  await world.payDay()
  await passDay(world)
  await expect(publishNewest(services)).rejects.toThrow('ALERT: the public register publishes no day: payouts are stopped')
  expect(await world.entries()).toEqual(before)
  await sql(em, `update payout_wallets set stopped_because = null`)
  await publishNewest(services)
  expect(await linesOf(world, 'books', 'day')).toHaveLength(2)
})

test('payments that are read once more make no equation false, and publication goes on once they are', async () => {
  const world = await startRegister()
  await buyTwo(world)
  await world.payDay()
  await world.publish()
  await sql(em(world), 'update chain_progress set verified_number = 0')
  await world.payDay()
  await expect(world.publish()).rejects.toThrow(
    'ALERT: the public register publishes no day: payments after block 0 are not settled',
  )
  await world.watch()
  await world.publish()
  expect(await linesOf(world, 'books', 'day')).toHaveLength(2)
  expect(await world.problems()).toEqual({})
})

test('a wallet that is named while payouts are stopped makes no equation false, and publication goes on once they are resumed', async () => {
  const world = await startRegister()
  const { services, clock } = world.server
  await buyTwo(world)
  await world.payDay()
  await world.tickPayouts()
  await world.publish()
  const em = services.orm.em.fork()
  await sql(em, `update payout_wallets set stopped_because = 'A nonce is unknown.', stopped_at = $1`, [clock.now()])
  Object.assign(services.config, { PAYOUT_PRIVATE_KEY: generatePrivateKey() })
  await world.payDay()
  await expect(world.publish()).rejects.toThrow('ALERT: the public register publishes no day: payouts are stopped')
  await sql(em, `update payout_wallets set stopped_because = null`)
  await world.publish()
  expect(await linesOf(world, 'books', 'day')).toHaveLength(2)
  expect(await world.problems()).toEqual({})
})

test('a wallet that is named while the endpoints show fewer blocks than before makes no equation false', async () => {
  const world = await startRegister()
  const { config } = world.server.services
  await buyTwo(world)
  await world.payDay()
  await world.publish()
  const late = await startFaultyRpc(world.rewards.url)
  late.fail(({ method, params: [block] }) =>
    method === 'eth_getBlockByNumber' && block === 'latest' ? { send: { params: ['0x0', false] } } : undefined,
  )
  Object.assign(config, { PAYOUT_PRIVATE_KEY: generatePrivateKey() })
  await world.payDay()
  const reward = rewardEndpoints({ ...config, XCR_RPC_URLS: [late.url] })
  const publishing = world.publish({ endpoints: { payment: paymentEndpoints(config), reward } })
  await expect(publishing).rejects.toThrow('ALERT: the public register publishes no day: the reward chain cannot be read')
  late.heal()
  await world.publish()
  expect(await linesOf(world, 'books', 'day')).toHaveLength(2)
  expect(await world.problems()).toEqual({})
})
