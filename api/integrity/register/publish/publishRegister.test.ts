import * as bonus from '#shared/contract/admin/bonus.ts'
import * as office from '#shared/contract/admin/deposits.ts'
import { expect, test } from 'vitest'
import type { Hex } from 'viem'
import { MINUTE, SECOND, utcDay } from '#shared/dates.ts'
import { dayAfter, rewardInstant } from '#shared/rewardTime.ts'
import { payDueDays } from '#api/rewards/daily/payDueDays.ts'
import { clockTimeSources } from '#api/testing/FakeClock.ts'
import { publishNewest } from './publishRegister.ts'
import type { Config } from '#api/platform/config.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { sql } from '#api/platform/db/sql.ts'
import { checks } from '#api/integrity/checks/all.ts'
import { runChecks } from '#api/integrity/auditDatabase.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { whileDamaged } from '#api/testing/damage.ts'
import { findDifferences } from '#api/testing/findDifferences.ts'
import { refundWithdrawal } from '#api/withdrawals/requests/refundWithdrawal.ts'
import { jobs } from '#api/app/schedule.ts'
import { prepareTables } from '#api/entities/prepareDatabase.ts'
import { approve, insist } from '#api/testing/backOffice.ts'
import type { Buyer } from '#api/testing/people.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { buy, knowledgeOf } from '#api/testing/registerHolders.ts'
import { type RegisterWorld, startRegister } from '#api/testing/registerWorld.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'

test('a sale with payouts is published, and the independent verifier finds everything true', async () => {
  const world = await startRegister()
  await world.publish()
  const buyer = await world.openBuyer()
  await world.reserve(buyer, 12)
  await world.pay(buyer.wallet, '36')
  await world.confirm()
  await world.pay((await world.openBuyer()).wallet, '5')
  await world.confirm()
  await world.payDay()
  await world.publish()
  expect(await world.problems()).toEqual({})
  await world.payDay()
  await withdraw(world, buyer, '30')
  await world.publish()
  await world.payDay()
  await world.payOut()
  await world.publish()
  expect(await world.problems()).toEqual({})
  expect((await world.verify()).counts).toMatchObject({ nodes: 12, deposits: 2, payouts: 1 })
})

const withdraw = ({ server }: RegisterWorld, { user, wallet }: Buyer, amount: string) =>
  insertWithdrawal(server.services.orm, { userId: user.id, amount, toAddress: wallet.address, now: server.clock.now() })

/** The values of a line in all entries of a kind, in the order of the log. */
async function linesOf(world: RegisterWorld, kind: string, name: string): Promise<(string | undefined)[]> {
  const entries = await world.entries()
  return entries
    .filter((text) => text.startsWith(`${kind}/v1\n`))
    .map((text) => new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}

const note = 'As agreed.'
const assign = (world: RegisterWorld, id: string, to: { userEmail: string; quantity: number }) =>
  insist((named) => world.call(office.assignDeposit, { params: { id }, body: { note, ...to, ...named } }))

/** A payment that matches no account. */
async function payUnmatched(world: RegisterWorld, usdt: string) {
  const stranger = await world.openStranger()
  const hash = await world.pay(stranger, usdt)
  await world.confirm()
  return { stranger, id: await world.depositOf(hash) }
}

test('every decision of an administrator on a payment is published as such', async () => {
  const world = await startRegister()
  await world.publish()
  const buyer = await world.openBuyer()
  const { email: userEmail } = buyer.user
  await assign(world, (await payUnmatched(world, '7')).id, { userEmail, quantity: 2 })
  await assign(world, (await payUnmatched(world, '4')).id, { userEmail, quantity: 100 })
  const { stranger, id } = await payUnmatched(world, '10')
  const transactionHash = await world.sendBack(stranger.address, '9')
  await world.call(office.refundDeposit, { params: { id }, body: { transactionHash, note, reason: 'Fees.' } })
  const little = await payUnmatched(world, '10')
  const returned = await world.sendBack(little.stranger.address, '1')
  await world.call(office.refundDeposit, {
    params: { id: little.id },
    body: { transactionHash: returned, note, reason: 'Fees.' },
  })
  await world.call(office.ignoreDeposit, { params: { id: (await payUnmatched(world, '8')).id }, body: { note } })
  await payUnmatched(world, '1')
  await world.watch()
  const pending = await world.openPurchase(buyer, 3, '9')
  await approve(world.one.browser, pending.id)
  await world.payDay()
  await world.publish()

  expect(await world.problems()).toEqual({})
  const decisions = await linesOf(world, 'deposit', 'decision')
  const reasons = await linesOf(world, 'deposit', 'reason')
  expect(decisions.map((decision, index) => `${decision} ${reasons[index]}`).join(', ')).toBe(
    'review unmatched, counted decision, review unmatched, counted decision, review unmatched, refunded partial, ' +
      'review unmatched, ignored decision, review unmatched, ignored decision, ignored dust',
  )
  expect(new Set(await linesOf(world, 'grant', 'cause'))).toEqual(new Set(['gift', 'unpaid']))

  // The payment that the approved purchase is owed arrives.
  await world.pay(buyer.wallet, '9')
  await world.confirm()
  await world.payDay()
  await world.publish()
  expect(await world.problems()).toEqual({})
  expect((await linesOf(world, 'deposit', 'reason')).at(-1)).toBe('owed')
})

test('bonus nodes by the rule count as bonus, and those beyond it or by hand as granted', async () => {
  const world = await startRegister()
  const buyer = await world.openBuyer()
  await world.reserve(buyer, 20)
  await world.pay(buyer.wallet, '60')
  await world.confirm()
  await world.call(bonus.grantDueBonus, { body: { userIds: [buyer.user.id] } })
  await world.call(bonus.assignBonus, { body: { userEmail: buyer.user.email, quantity: 5 } })
  await world.publish()
  await world.payDay()
  await world.publish()
  expect(await world.problems()).toEqual({})
  expect(new Set(await linesOf(world, 'grant', 'cause'))).toEqual(new Set(['hand', 'rule']))
  expect((await linesOf(world, 'day', 'kinds')).at(-1)).toMatch(/^\d+ 20 2 5$/)
})

/** Two nodes whose final payment, or the last of several, vanishes. Its signed transaction can be mined again. */
async function startVanishing(payments: readonly string[] = ['6']) {
  const world = await startRegister({ mining: 'manual', confirmations: 2 })
  const settle = async () => {
    await world.chain.mine(3)
    await world.watch()
  }
  const buyer = await world.openBuyer()
  await world.reserve(buyer, 2)
  const hashes: Hex[] = []
  for (const usdt of payments) {
    hashes.push(await world.pay(buyer.wallet, usdt))
    await settle()
  }
  const hash = hashes.at(-1)!
  const bytes = await world.chain.signedBytes(hash)
  return {
    ...world,
    id: await world.depositOf(hash),
    settle,
    async vanish() {
      const [{ blockNumber }, head] = await Promise.all([world.chain.receipt(hash), world.chain.client.getBlockNumber()])
      await world.chain.reorganize(Number(head - blockNumber) + 1)
      await world.chain.mine()
      await world.watch()
    },
    async mineAgain() {
      await world.chain.client.sendRawTransaction({ serializedTransaction: bytes })
      await settle()
    },
    async publishDay() {
      await world.payDay()
      await settle()
      await world.publish()
    },
  }
}

test('a payment that vanishes freezes its nodes, and the days they missed are credited once it is mined again', async () => {
  const world = await startVanishing()
  await world.publishDay()
  await world.vanish()
  await world.publishDay()
  await world.publishDay()
  await world.mineAgain()
  await world.publishDay()
  await world.publishDay()
  expect(await world.problems()).toEqual({})
  expect((await linesOf(world, 'day', 'states')).map((states) => states?.split(' ').slice(1).join(' '))).toContain('0 0 2')
  expect(await linesOf(world, 'deposit', 'decision')).toEqual(['counted', 'orphaned', 'counted'])
  expect(await linesOf(world, 'correction', 'reason')).toContain('thawed')
})

test('both changes are published if a payment vanishes and is mined again between two days', async () => {
  const world = await startVanishing()
  await world.publishDay()
  await world.vanish()
  await world.mineAgain()
  await world.publishDay()
  expect(await world.problems()).toEqual({})
  expect(await linesOf(world, 'deposit', 'decision')).toEqual(['counted', 'orphaned', 'counted'])
})

test.for([
  { clock: 'ahead of', by: '1 minute' },
  { clock: 'behind', by: '-1 minute' },
])(
  "a day is published whose nodes were frozen and thawed around its payment by a database whose clock is $clock the worker's",
  async ({ by }) => {
    const world = await startVanishing()
    await world.publishDay()
    await world.vanish()
    await world.payDay()
    await world.mineAgain()
    await world.database.superuser.em.fork().transactional(async (em) => {
      // The table is append-only.
      await sql(em, 'set local session_replication_role = replica')
      const unpublished = `id not in (select substr(subject, 10)::int from register_entries where subject like 'decision:%')`
      await sql(em, `update deposit_decisions set decided_at = decided_at + $1::interval where ${unpublished}`, [by])
    })
    await world.publish()
    expect(await world.problems()).toEqual({})
    expect(await linesOf(world, 'deposit', 'decision')).toEqual(['counted', 'orphaned', 'counted'])
    expect((await linesOf(world, 'day', 'states')).at(-1)?.endsWith(' 0 0 2')).toBe(true)
  },
)

test('nodes kept without their vanished payment are published as unpaid, and a later payment as owed', async () => {
  const world = await startVanishing()
  await world.publishDay()
  await world.vanish()
  await world.publishDay()
  await world.call(office.restoreNodes, { params: { id: world.id }, body: { note } })
  await world.publishDay()
  expect(await linesOf(world, 'grant', 'cause')).toEqual(['unpaid'])
  await world.mineAgain()
  await world.publishDay()
  expect(await world.problems()).toEqual({})
  expect(await linesOf(world, 'deposit', 'decision')).toEqual(['counted', 'orphaned', 'vanished', 'counted'])
  expect((await linesOf(world, 'deposit', 'reason')).at(-1)).toBe('owed')
})

test('of two payments for one purchase the one that remains counts as decided once the other is gone for good', async () => {
  const world = await startVanishing(['2', '4'])
  await world.publishDay()
  expect((await linesOf(world, 'deposit', 'reason')).slice(-2)).toEqual(['matched', 'matched'])
  await world.vanish()
  await world.publishDay()
  await world.call(office.restoreNodes, { params: { id: world.id }, body: { note } })
  await world.publishDay()
  expect(await world.problems()).toEqual({})
  expect(await linesOf(world, 'grant', 'cause')).toEqual(['unpaid'])
  expect(await linesOf(world, 'deposit', 'decision')).toEqual(['review', 'counted', 'counted', 'orphaned', 'vanished', 'counted'])
  expect((await linesOf(world, 'deposit', 'reason')).at(-1)).toBe('decision')
  expect(await findDifferences(world.server.services.orm)).toEqual([])
  await world.publishDay()
  expect(await world.problems()).toEqual({})
})

test('before the first node the log has the settings only', async () => {
  const world = await startRegister()
  await world.publish()
  const kinds = (await world.entries()).map((text) => text.slice(0, text.indexOf('/'))).filter((kind) => kind !== 'release')
  expect(kinds.toSorted()).toEqual(['address', 'address', 'address', 'fee', 'genesis', 'price', 'rate', 'supply'])
  expect(await world.problems()).toEqual({})
})

test('the log begins with the set-up, and a worker that starts with another site or token says that checks fail', async () => {
  const world = await startRegister({ isSetUp: false })
  const { services } = world.server
  await world.publish()
  expect(await world.entries()).toEqual([])
  await sql(services.orm.em.fork(), 'update installation set set_up_at = now()')
  await world.publish()
  expect(await linesOf(world, 'genesis', 'origin')).toEqual([services.config.register!.origin])

  const restart = (changes: Partial<Config>) => {
    const config = { ...services.config, ...changes }
    return () => publishNewest({ ...services, config })
  }
  await restart({})()
  const move = restart({ register: { ...services.config.register!, origin: 'moved.example.com/register' } })
  await expect(move()).rejects.toThrow(
    /^ALERT: The public register names \S+\/register, and PUBLIC_URL says moved.example.com\/reg/,
  )
  await world.set('xcr_per_node_daily', '12')
  await move()
  expect(await linesOf(world, 'rate', 'rate'), 'it is told once, and publication goes on').toHaveLength(2)
  const otherToken = restart({ XCR_TOKEN_ADDRESS: makeAccount().address })
  await expect(otherToken()).rejects.toThrow('ALERT: The public register names 0x')
  expect((await mailsTo(world.database, services.config.SUPPORT_EMAIL)).map(({ text }) => text)).toEqual([
    expect.stringContaining('and XCR_TOKEN_ADDRESS says 0x'),
    expect.stringContaining('and PUBLIC_URL says moved.example.com/register'),
  ])
})

test('a demo waits in silence until its reward chain has a final block', async () => {
  const world = await startRegister({ supply: 600, env: { XCR_CONFIRMATIONS: '60' } })
  const buyer = await world.openBuyer()
  await world.reserve(buyer, 2)
  await world.pay(buyer.wallet, '6')
  await world.confirm()
  await world.payDay()
  await world.publish()
  const published = async () => (await world.entries()).filter((entry) => entry.startsWith('books/v1'))
  expect(await published()).toEqual([])
  await world.rewards.mine(60)
  await world.publish()
  expect(await published()).toHaveLength(1)
})

test('a worker whose clock is behind the one that paid a day publishes it once its clock is later', async () => {
  const world = await startRegister()
  const { clock, services } = world.server
  await buy(world, await world.openBuyer(), 2)
  await world.publish()
  await world.payDay()
  clock.advance(-3 * SECOND)
  await publishNewest(services)
  expect(await linesOf(world, 'day', 'day')).toEqual([])
  await world.publish()
  expect(await linesOf(world, 'day', 'day')).not.toEqual([])
  expect(await world.problems()).toEqual({})
})

test('a worker whose clock is behind the one that published settings publishes a day once its clock is later', async () => {
  const world = await startRegister()
  const { clock, services } = world.server
  await buy(world, await world.openBuyer(), 2)
  const ahead = new Date(Date.now() + MINUTE)
  clock.set(ahead)
  await publishNewest(services)
  await world.payDay()
  await world.publish()
  expect(await linesOf(world, 'day', 'day')).toEqual([])
  clock.set(ahead)
  await publishNewest(services)
  expect(await linesOf(world, 'day', 'day')).not.toEqual([])
  const { ticks } = await world.verify({ now: ahead.getTime() })
  expect([...ticks].filter(([, { outcome }]) => outcome === 'failed' || outcome === 'unknown')).toEqual([])
})

test('a supply that is sold out, a month without publication and a changed rate are published at once', async () => {
  const world = await startRegister({ supply: 3 })
  const buyer = await world.openBuyer()
  await world.reserve(buyer, 3)
  await world.pay(buyer.wallet, '9')
  await world.confirm()
  for (let day = 0; day < 31; day++) {
    if (day === 20) await world.set('xcr_per_node_daily', '0')
    if (day === 25) await world.set('xcr_per_node_daily', '7.5')
    await world.payDay()
  }
  await withdraw(world, buyer, '30')
  await world.payOut()
  await world.publish()
  expect(await world.problems()).toEqual({})
  expect((await world.verify()).counts).toMatchObject({ nodes: 3, payouts: 1 })
})

test('a changed rate is published before the day from which it holds', async () => {
  const world = await startRegister()
  await world.publish()
  await world.set('xcr_per_node_daily', '12')
  await world.publish()
  expect(await linesOf(world, 'rate', 'rate')).toEqual(['10000000000000000000', '12000000000000000000'])
})

test('of two workers one publishes a day, and a round killed at any point is repeated without a trace', async () => {
  const world = await startRegister()
  const buyer = await world.openBuyer()
  await world.reserve(buyer, 2)
  await world.pay(buyer.wallet, '6')
  await world.confirm()
  await world.publish()
  await world.payDay()
  const before = await world.entries()
  for (const point of ['read', 'stored'] as const) {
    const killed = world.publish({
      step: async (step) => {
        if (step === point) throw new Error('killed')
      },
    })
    await expect(killed).rejects.toThrow('killed')
    expect(await world.entries()).toEqual(before)
  }
  await Promise.all([world.publish(), world.publish(), world.publish()])
  const after = await world.entries()
  expect(after.slice(0, before.length)).toEqual(before)
  expect(after.filter((text) => text.startsWith('books/'))).toHaveLength(1)
  expect(await world.problems()).toEqual({})
  await world.publish()
  expect(await world.entries()).toEqual(after)
})

test('thousands of transfers of next to nothing are published before the day, some at a time', async () => {
  const world = await startRegister()
  await world.publish()
  const buyer = await world.openBuyer()
  await buy(world, buyer, 2)
  await sql(
    world.server.services.orm.em.fork(),
    `insert into deposits (id, chain_id, transaction_hash, ordinal, log_index, sender, recipient, amount, block_number, block_hash, block_time,
       first_seen_at, state, closed_at)
     select gen_random_uuid(), chain_id, transaction_hash, n, n, '0x' || repeat('a', 40), recipient, 1, block_number, block_hash, block_time,
       first_seen_at, 'ignored', closed_at
     from deposits, generate_series(1, 2100) n where state = 'matched'`,
  )
  await world.payDay()
  let before = 0
  await world.publish({
    step: async (step) => {
      if (step === 'read') before = (await linesOf(world, 'deposit', 'decision')).length
    },
  })

  expect(before).toBe(2_000)
  expect(await linesOf(world, 'deposit', 'decision')).toHaveLength(2_101)
  // The chain does not have them.
  expect(Object.keys(await world.problems())).toEqual(['E6'])
})

test('a false equation publishes no day, tells the operator, and after an hour the log', async () => {
  const world = await startRegister()
  const { orm, config } = world.server.services
  const buyer = await world.openBuyer()
  await world.reserve(buyer, 2)
  await world.pay(buyer.wallet, '6')
  await world.confirm()
  await world.payDay()
  await world.publish()
  const days = await linesOf(world, 'day', 'day')
  await world.payDay()
  const change = (by: string) => sql(orm.em.fork(), `update accounts set balance = balance ${by} where id = $1`, [buyer.user.id])
  await change('+ 1')
  await expect(world.publish()).rejects.toThrow('ALERT: the public register publishes no day: E5')
  await expect(world.publish()).rejects.toThrow('E5')
  expect(await linesOf(world, 'day', 'day')).toEqual(days)
  expect(await linesOf(world, 'note', 'topic')).not.toContain('held')
  const mails = await mailsTo(world.database, config.ALERT_EMAIL ?? config.SUPPORT_EMAIL)
  expect(mails.filter(({ subject }) => subject.includes('register'))).toHaveLength(1)

  await sql(orm.em.fork(), `update register_state set held_since = held_since - interval '1 hour'`)
  await expect(world.publish()).rejects.toThrow('E5')
  await expect(world.publish()).rejects.toThrow('E5')
  expect((await linesOf(world, 'note', 'subject')).filter((subject) => subject?.startsWith('E'))).toEqual(['E5'])
  expect(await world.problems()).toMatchObject({ fresh: { outcome: 'failed' } })

  await change('- 1')
  await world.publish()
  expect(await world.problems()).toEqual({})
  const [state] = await sql<{ held_equation: string | null }>(orm.em.fork(), 'select held_equation from register_state')
  expect(state!.held_equation).toBeNull()
})

test('a payout with a fee that was not in force, or another than before, holds the register before it signs', async () => {
  const world = await startRegister()
  const { orm } = world.server.services
  const buyer = await world.openBuyer()
  for (const fee of ['4', '5']) await world.set('withdrawal_fee_amount', fee)
  await buy(world, buyer, 12)
  for (let day = 0; day < 3; day++) await world.payDay()
  await world.publish()
  const { id } = await withdraw(world, buyer, '30')
  const charge = (fee: string) => sql(orm.em.fork(), 'update withdrawals set fee = $1::numeric * 1e18 where id = $2', [fee, id])
  await charge('3')
  await world.payDay()
  const held = 'ALERT: the public register publishes no day: E5:'
  await expect(world.publish()).rejects.toThrow(new RegExp(`^${held} .*: the fee 3000000000000000000 was not in force$`))

  // Set afterwards, which is too late.
  await world.set('withdrawal_fee_amount', '3')
  await expect(world.publish()).rejects.toThrow(/E5: .*: the fee 3000000000000000000 was not in force$/)
  await charge('5')
  await world.publish()
  expect(await world.problems()).toEqual({})

  await world.payOut()
  await charge('4')
  await world.payDay()
  await expect(world.publish()).rejects.toThrow(new RegExp(`^${held} .*: another amount or fee than before$`))
  await charge('5')
  await world.publish()
  expect(await world.problems()).toEqual({})
  expect(await linesOf(world, 'payout', 'state')).toEqual(['accepted', 'paid'])
})

test('a payment that is settled while the chains are read is published at once', async () => {
  const world = await startRegister()
  const { config } = world.server.services
  const buyer = await world.openBuyer()
  await buy(world, buyer, 12)
  await world.payDay()
  await world.payDay()
  const byHand = await withdraw(world, buyer, '30')
  await world.payDay()
  const [reward] = rewardEndpoints(config)
  const request = reward!.request.bind(reward)
  let settling: Promise<void> | undefined
  reward!.request = async (...call) => {
    await (settling ??= world.payElsewhere(byHand))
    return request(...call)
  }

  await world.publish({ endpoints: { payment: paymentEndpoints(config), reward: [reward!] } })

  expect(await linesOf(world, 'payout', 'state')).toContain('elsewhere')
  expect(await world.problems()).toEqual({})
})

test('nodes that a process with a slow clock allocates after a day was published are owned from the next one on', async () => {
  const world = await startRegister()
  const { orm } = world.server.services
  const [buyer, late] = [await world.openBuyer(), await world.openBuyer()]
  await buy(world, buyer, 1)
  await world.payDay()
  await world.publish()
  // A minute before the 09:00 of the published day.
  world.server.clock.advanceProduct(-MINUTE)
  await buy(world, late, 2)
  world.server.clock.advanceProduct(MINUTE)
  const day = await world.payDay()
  await world.publish()
  expect(await world.problems()).toEqual({})
  const account = await knowledgeOf(world, late, day)
  const { ticks } = await world.verify({ account }, 'account')
  expect([...ticks].filter(([, { outcome }]) => outcome === 'failed')).toEqual([])

  // Rows that say otherwise are not published.
  await buy(world, await world.openBuyer(), 1)
  const move = (days: string) =>
    sql(orm.em.fork(), `update nodes set allocated_at = allocated_at + $1, active_from = active_from + $1 where number = 4`, [
      days,
    ])
  await world.payDay()
  await move('-1 day')
  await expect(world.publish()).rejects.toThrow('ALERT: the public register publishes no day: E2: group 3 is from before')
  await move('1 day')
  await world.publish()
  expect(await world.problems()).toEqual({})
})

test('nodes are published whose payment was seen by a process with a faster clock than the one that allocated them', async () => {
  const world = await startRegister()
  const buyer = await world.openBuyer()
  await world.reserve(buyer, 2)
  await world.pay(buyer.wallet, '6')
  await world.watch()
  world.server.clock.advanceProduct(-MINUTE)
  await world.confirm()
  await world.payDay()
  await world.publish()
  expect(await world.problems()).toEqual({})
  expect(await linesOf(world, 'deposit', 'decision')).toEqual(['counted'])
})

test('rows that the format does not allow hold the register, as a false equation does', async () => {
  const world = await startRegister()
  await buy(world, await world.openBuyer(), 1)
  await world.payDay()
  const move = (by: string) =>
    sql(world.server.services.orm.em.fork(), 'update nodes set active_from = active_from + $1::interval', [by])
  await move('1 hour')
  const problem = /the public register publishes no day: decision:\d+: The nodes become active before .* more than 24 hours/
  await expect(world.publish()).rejects.toThrow(new RegExp(`^ALERT: ${problem.source}`))
  await expect(world.publish()).rejects.toThrow(new RegExp(`^${problem.source}`))
  await move('-1 hour')
  await world.publish()
  expect(await world.problems()).toEqual({})
})

test('an installation that starts its register late publishes all of its past at once, and the audit compares it with the rows', async () => {
  const world = await startRegister()
  const { orm } = world.server.services
  const recipient = makeAccount().address.toLowerCase()
  await world.set('fee_recipient_address', recipient)
  const buyer = await world.openBuyer()
  await world.reserve(buyer, 12)
  await world.pay(buyer.wallet, '36')
  await world.confirm()
  for (let day = 0; day < 3; day++) await world.payDay()
  await withdraw(world, buyer, '30')
  await world.payOut()
  // Its fee is swept.
  await world.payOut()
  const rejected = await withdraw(world, buyer, '40')
  await orm.em.fork().transactional((em) => refundWithdrawal(em, world.server.services, { id: rejected.id }))
  await world.payDay()
  const byHand = await withdraw(world, buyer, '20')
  await world.payElsewhere(byHand)
  await withdraw(world, buyer, '10')
  await world.payDay()
  await world.publish()
  expect(await world.problems()).toEqual({})
  expect(new Set(await linesOf(world, 'payout', 'state'))).toEqual(
    new Set(['paid', 'refunded', 'elsewhere', 'accepted', 'sweep']),
  )

  expect(await findDifferences(orm)).toEqual([])
  const damages: [statement: string, found: RegExp][] = [
    [`update register_entries set text = replace(text, 'price 3', 'price 4') where kind = 'price'`, /hash than its text/],
    [`delete from register_entries where index = 3`, /entry 3 of the register is missing/],
    [`update deposits set amount = amount + 1`, /deposit .* its row says matched of 36000000000000000001/],
    [`update withdrawals set amount = amount + 1 where status = 'completed'`, /withdrawal .* is published as/],
    [
      `update reward_runs set amount = amount + 1 where day = (select max(day) from register_days)`,
      /is published with rewards of/,
    ],
    [`update register_days set leaves = set_byte(leaves, 51, 1)`, /have another root than its entry/],
    [
      `update setting_changes set value = '4' where key = 'node_price_usdt'`,
      /the price published as 3000000000000000000 was set to 4/,
    ],
  ]
  for (const [statement, found] of damages) {
    const findings = await whileDamaged(world.database, statement, (em) =>
      runChecks(em, checks, { now: new Date(), productNow: world.server.clock.productNow() }),
    )
    expect(findings.flatMap(({ differences }) => differences).join('\n'), statement).toMatch(found)
  }
})

test('with the real clock a day is due at 09:00, and one published more than a day later has a note', async () => {
  const world = await startRegister({ config: { demo: false } })
  const { clock } = world.server
  const { orm } = world.server.services
  const buyer = await world.openBuyer()
  await world.reserve(buyer, 2)
  await world.pay(buyer.wallet, '6')
  await world.confirm()
  await world.publish()
  const today = utcDay(new Date())
  const days = [dayAfter(today), dayAfter(dayAfter(today))]
  for (const day of days) {
    const nine = rewardInstant(day)
    // Both chains have blocks shortly before.
    for (const chain of [world.chain, world.rewards]) {
      await chain.mineAt(new Date(nine.getTime() - 10 * SECOND))
      await chain.mine(3)
    }
    await world.watch()
    clock.set(new Date(nine.getTime() + 5 * SECOND))
    await payDueDays({ orm, clock, timeSources: clockTimeSources(clock) })
    await publishNewest(world.server.services)
  }
  const now = clock.now().getTime() + MINUTE
  const { ticks } = await world.verify({ now })
  expect([...ticks].filter(([, { outcome }]) => outcome === 'failed' || outcome === 'unknown')).toEqual([])
  expect(await linesOf(world, 'genesis', 'clock')).toEqual(['real'])
  expect((await linesOf(world, 'day', 'due')).slice(-2)).toEqual(days.map((day) => `${day}T09:00:00.000Z`))
  const notes = await linesOf(world, 'note', 'topic')
  expect(notes).toHaveLength((await linesOf(world, 'day', 'day')).length - 2)
  // The audit after the test takes place on that day.
  await sql(orm.em.fork(), 'update installation set clock_offset_ms = $1', [now - Date.now()])
})

test('decisions of the release before are published from what its rows tell', async () => {
  const world = await startVanishing()
  await world.payDay()
  await world.vanish()
  await world.payDay()
  await world.payDay()
  await world.mineAgain()
  const stranger = await world.openStranger()
  await world.pay(stranger, '10')
  await world.settle()
  await world.payDay()
  await world.settle()
  const { migrator, em } = world.database.superuser
  const migrations = ['Migration20261123181700_register']
  const later = await sql<{ name: string }>(
    em.fork(),
    `select name from mikro_orm_migrations where name > $1 order by name desc`,
    [migrations[0]],
  )
  await migrator.down({ migrations: [...later.map(({ name }) => name), ...migrations] })
  const { orm, ownerUrl } = world.database
  await prepareTables(orm, { ownerUrl, jobNames: jobs.map(({ name }) => name) })
  await world.publish()
  expect(await world.problems()).toEqual({})
  const decisions = await linesOf(world, 'deposit', 'decision')
  expect(decisions.filter((decision) => decision !== 'review')).toEqual(['counted', 'orphaned', 'counted'])
  expect(decisions).toHaveLength(4)
})
