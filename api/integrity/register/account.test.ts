import { expect, test } from 'vitest'
import * as contract from '#shared/contract/register.ts'
import { LEAF_SIZE } from '#shared/register/nodeLeaf.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { sql } from '#api/platform/db/sql.ts'
import { buy, knowledgeOf, withdraw } from '#api/testing/registerHolders.ts'
import { type RegisterWorld, startRegister } from '#api/testing/registerWorld.ts'
import { takeSnapshot } from './publish/takeSnapshot.ts'
import { type AccountOptions, daySecret, emailHash, sha256 } from './verify.mjs'

const outcomes = async (world: RegisterWorld, account: AccountOptions) => {
  const { ticks } = await world.verify({ account }, 'account')
  return Object.fromEntries(
    ['nodes', 'rewards', 'balance', 'deposits', 'payouts', 'receipts'].map((name) => [name, ticks.get(name)]),
  )
}
const allOk = Object.fromEntries(
  ['nodes', 'rewards', 'balance', 'deposits', 'payouts', 'receipts'].map((name) => [
    name,
    expect.objectContaining({ outcome: 'ok' }),
  ]),
)

test('with proof keys, receipts and messages the independent verifier confirms a whole account, also after a change of its key', async () => {
  const world = await startRegister()
  await world.publish()
  const [one, other] = [await world.openBuyer({ usdt: '3000' }), await world.openBuyer()]
  const transfers = [await buy(world, one, 400)]
  await buy(world, other, 1)
  await world.payDay()
  await world.publish()
  await world.payDay()
  const messages = [await withdraw(world, one, '3000')]
  await world.publish()
  await world.payOut()
  await one.grantMark()
  await one.browser.call(contract.changeProofKey, {})
  transfers.push(await buy(world, one, 2))
  await world.publish()
  await world.payDay()
  const day = await world.payDay()
  await world.publish()

  expect(await world.problems()).toEqual({})
  const known = await knowledgeOf(world, one, day)
  expect(known.receipts.map(({ kind }) => kind).toSorted()).toEqual(['account', 'account', 'nodes', 'nodes', 'withdrawal'])
  expect(await outcomes(world, { ...known, transfers, messages })).toEqual(allOk)

  // Somebody else's receipt, an e-mail that is not the account's, a balance one unit off.
  const { receipts } = await knowledgeOf(world, other, day)
  const failed = { outcome: 'failed' }
  expect(await outcomes(world, { ...known, receipts: [...known.receipts, ...receipts], transfers, messages })).toMatchObject({
    receipts: failed,
  })
  expect(await outcomes(world, { ...known, email: 'another@example.com', transfers, messages })).toMatchObject({
    deposits: failed,
  })
  expect(await outcomes(world, { ...known, balance: known.balance - 1n, transfers, messages })).toMatchObject({ balance: failed })
})

test('a proof key replaced while a snapshot is taken is in force after the log says so', async () => {
  const world = await startRegister()
  await world.publish()
  const buyer = await world.openBuyer()
  await buy(world, buyer, 1)
  const published = await world.payDay()
  await world.publish()
  const { keys } = await knowledgeOf(world, buyer, published)
  await world.payDay()
  await buyer.grantMark()
  await buyer.browser.call(contract.changeProofKey, {})
  // Facts of keys are published before a snapshot. This key was replaced between the two.
  const { services, clock } = world.server
  clock.set(new Date())
  const endpoints = { payment: paymentEndpoints(services.config), reward: rewardEndpoints(services.config) }
  await takeSnapshot(services, { endpoints, step: async () => {} })
  const day = await sql<{ day: string }>(services.orm.em.fork(), 'select max(day)::text as day from register_days')
  const { secret } = await buyer.browser.call(contract.readRegisterDay, { params: day[0]!, query: { after: -1 } })
  expect(secret).toBe(daySecret(keys[0]!, day[0]!.day).toString('base64'))
  await world.payDay()
  await world.publish()
  expect(await world.problems()).toEqual({})
})

test('no field of a person repeats between days and entries, and a dictionary of e-mails finds nobody', async () => {
  const world = await startRegister()
  await world.publish()
  const buyer = await world.openBuyer()
  await buy(world, buyer, 3)
  await buy(world, buyer, 2)
  await world.payDay()
  await world.publish()
  await world.payDay()
  await world.payDay()
  await world.publish()

  const days = await sql<{ leaves: Buffer }>(world.server.services.orm.em.fork(), 'select leaves from register_days order by day')
  const commitments = days.flatMap(({ leaves }) =>
    Array.from({ length: leaves.length / LEAF_SIZE }, (_, index) =>
      leaves.subarray(index * LEAF_SIZE + 4, index * LEAF_SIZE + 36).toString('hex'),
    ),
  )
  const owned = commitments.filter((commitment) => !/^0*$/.test(commitment))
  expect(owned.length).toBeGreaterThanOrEqual(10)
  expect(new Set(owned).size).toBe(owned.length)
  const entries = await world.entries()
  const owners = entries.flatMap((text) => /^owner (.{44})$/m.exec(text)?.[1] ?? [])
  expect(new Set(owners).size).toBe(owners.length)

  const published = entries.join('\n') + Buffer.concat(days.map(({ leaves }) => leaves)).toString('hex')
  const e = emailHash(buyer.user.email)
  for (const guess of [Buffer.from(buyer.user.email), e, sha256(e), sha256(Buffer.from('xcr-register/account/v1\n'), e)])
    for (const form of ['base64', 'hex', 'utf8'] as const) expect(published).not.toContain(guess.toString(form))
  expect(published).not.toContain(buyer.user.id)
})
