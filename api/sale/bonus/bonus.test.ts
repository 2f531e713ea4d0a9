import { expect, test } from 'vitest'
import * as contract from '#shared/contract/admin/bonus.ts'
import { DAY, MINUTE } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { approve, type BackOffice, outcomes, startBackOffice } from '#api/testing/backOffice.ts'
import { makeUser } from '#api/testing/factories.ts'
import { mailsTo } from '#api/testing/mails.ts'
import type { Buyer } from '#api/testing/people.ts'

type Caller = Pick<BackOffice, 'call'>

const assign = ({ call }: Caller, userEmail: string, quantity: number, idempotencyKey?: string) =>
  call(contract.assignBonus, { body: { userEmail, quantity, notes: 'For loyalty.' } }, idempotencyKey ? { idempotencyKey } : {})
const status = ({ call }: Caller, page = 1) => call(contract.listBonusStatus, { query: { page, limit: 15, offset: 0 } })
const grantDue = ({ call }: Caller, userIds: string[]) => call(contract.grantDueBonus, { body: { userIds } })

/** A buyer with the given number of paid nodes. */
async function openHolder(office: BackOffice, nodes: number): Promise<Buyer> {
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, nodes, String(nodes * 3))
  await approve(office.one.browser, id)
  return buyer
}

test('any number of nodes is granted as a purchase of amount 0, active after 24 hours, with a mail', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const grantedAt = office.server.clock.productNow()

  const first = await assign(office, buyer.user.email, 3, 'key-1')
  expect(first).toMatchObject({ message: expect.stringContaining('3 bonus nodes'), nodeNumbers: [1, 2, 3] })
  expect(await assign(office, buyer.user.email, 3, 'key-1')).toEqual(first)

  expect(await office.supply()).toMatchObject({ paid: 0, bonus: 3, reserved: 0 })
  expect(await office.purchases(buyer)).toMatchObject([
    {
      paymentStatus: 'confirmed',
      purchaseAmountUsdt: 0n,
      finalQuantity: 3,
      nodeNumbers: [1, 2, 3],
      transactionHash: null,
      adminNotes: 'For loyalty.',
    },
  ])
  const nodes = await sql<{ kind: string; active_from: string }>(
    office.server.services.orm.em.fork(),
    'select kind, active_from from nodes',
  )
  expect(nodes.map(({ kind, active_from }) => [kind, new Date(active_from).getTime()])).toEqual(
    Array(3).fill(['bonus', grantedAt.getTime() + DAY]),
  )
  expect(await mailsTo(office.database, buyer.user.email)).toMatchObject([
    { subject: '3 bonus nodes are yours', text: expect.stringContaining('Nodes: 1–3') },
  ])
  expect(await office.log('bonus.')).toMatchObject([
    { actor: `admin:${office.one.username}`, target: `user:${buyer.user.email}`, after: { quantity: 3, numbers: [1, 2, 3] } },
  ])
})

test('grants reach the last node of the supply and no further, and require an existing account', async () => {
  const office = await startBackOffice({ supply: 5 })
  const buyer = await office.openBuyer()
  await office.reserve(buyer, 2)
  await expect(assign(office, buyer.user.email, 4)).rejects.toMatchObject({
    code: 'insufficient_supply',
    details: { remaining: '3' },
  })
  await expect(assign(office, 'nobody@example.com', 1)).rejects.toMatchObject({ status: 404, code: 'not_found' })
  for (const quantity of [0, -1, 1.5, '3'])
    expect(await office.send('/api/admin/assign-bonus', { userEmail: buyer.user.email, quantity })).toBe(400)
  expect(await office.log('bonus.')).toEqual([])

  expect(await office.send('/api/admin/assign-bonus', { userEmail: ` ${buyer.user.email.toUpperCase()} `, quantity: 3 })).toBe(
    200,
  )
  expect(await office.supply()).toMatchObject({ bonus: 3, reserved: 2 })
})

test('one bonus node is due for every ten paid ones, minus those received; bonus nodes do not count as paid', async () => {
  const office = await startBackOffice()
  const [nine, ten, many] = [await openHolder(office, 9), await openHolder(office, 10), await openHolder(office, 39)]
  await assign(office, many.user.email, 1)
  const newcomer = await office.openBuyer()
  await assign(office, nine.user.email, 20)

  const { users, totalCount } = await status(office)
  expect(totalCount).toBe(4)
  expect(users).toEqual([
    {
      userId: many.user.id,
      userEmail: many.user.email,
      userName: many.user.id,
      paidNodes: 39,
      bonusEligible: 3,
      bonusReceived: 1,
      bonusPending: 2,
    },
    {
      userId: ten.user.id,
      userEmail: ten.user.email,
      userName: ten.user.id,
      paidNodes: 10,
      bonusEligible: 1,
      bonusReceived: 0,
      bonusPending: 1,
    },
    {
      userId: nine.user.id,
      userEmail: nine.user.email,
      userName: nine.user.id,
      paidNodes: 9,
      bonusEligible: 0,
      bonusReceived: 20,
      bonusPending: 0,
    },
    {
      userId: newcomer.user.id,
      userEmail: newcomer.user.email,
      userName: newcomer.user.id,
      paidNodes: 0,
      bonusEligible: 0,
      bonusReceived: 0,
      bonusPending: 0,
    },
  ])
})

test('each account is on exactly one page, most pending first, in either reading direction', async () => {
  const office = await startBackOffice()
  const holders = [await openHolder(office, 10), await openHolder(office, 20)]
  const em = office.server.services.orm.em.fork()
  for (let i = 0; i < 35; i += 1) await makeUser(em)

  const pages = []
  for (const page of [1, 2, 3, 4]) pages.push(await status(office, page))
  expect(pages.map(({ users }) => users.length)).toEqual([15, 15, 7, 0])
  expect(pages[2]).toMatchObject({ totalCount: 37, currentPage: 3, totalPages: 3, hasNextPage: false, hasPrevPage: true })
  const ids = pages.flatMap(({ users }) => users.map(({ userId }) => userId))
  expect(ids.slice(0, 2)).toEqual([holders[1]!.user.id, holders[0]!.user.id])
  expect(new Set(ids).size).toBe(37)
  expect(ids.slice(2)).toEqual(ids.slice(2).toSorted())
})

test('due bonus nodes are granted to the selected accounts once, even by two administrators at once', async () => {
  const office = await startBackOffice()
  const [one, two, three] = [await openHolder(office, 10), await openHolder(office, 25), await openHolder(office, 30)]
  const preview = await office.call(contract.listBonusDue, {})
  expect(preview.users.map(({ userId, bonusPending }) => [userId, bonusPending])).toEqual([
    [three.user.id, 3],
    [two.user.id, 2],
    [one.user.id, 1],
  ])
  expect(preview).toMatchObject({ totalNodes: 6, remaining: 20_000 - 65 })

  office.server.clock.advance(MINUTE)
  const named = [one.user.id, two.user.id]
  const grants = await Promise.all([
    grantDue(office, named),
    grantDue({ call: office.other.browser.call }, named),
    grantDue(office, named),
  ])
  expect(grants.map(({ granted }) => granted.length).toSorted((a, b) => a - b)).toEqual([0, 0, 2])
  expect(await office.supply()).toMatchObject({ paid: 65, bonus: 3 })
  expect(await office.purchases(two)).toMatchObject([{ purchaseAmountUsdt: 0n, nodeNumbers: [66, 67] }, { finalQuantity: 25 }])
  expect(await office.purchases(one)).toMatchObject([{ purchaseAmountUsdt: 0n, nodeNumbers: [68] }, { finalQuantity: 10 }])
  expect((await mailsTo(office.database, two.user.email)).map(({ subject }) => subject)).toContain('2 bonus nodes are yours')
  expect(await office.log('bonus.')).toHaveLength(1)

  expect((await office.call(contract.listBonusDue, {})).users.map(({ userId }) => userId)).toEqual([three.user.id])
  expect(await grantDue(office, [...named, crypto.randomUUID()])).toMatchObject({ granted: [] })
})

test('what two administrators see as due at the same time is granted once, and the other one is told', async () => {
  const office = await startBackOffice()
  const { user } = await openHolder(office, 20)
  const grant = (call: BackOffice['call']) => call(contract.assignBonus, { body: { userEmail: user.email, quantity: 2, due: 2 } })
  const { refused } = await outcomes([grant(office.call), grant(office.other.browser.call)])
  expect(refused).toEqual(['bonus_due_changed'])
  expect(await office.supply()).toMatchObject({ bonus: 2 })
})

test('due bonus nodes are granted as due at that moment, all of them or none', async () => {
  const office = await startBackOffice({ supply: 43 })
  const [one, two] = [await openHolder(office, 20), await openHolder(office, 20)]
  const userIds = [one.user.id, two.user.id]
  await expect(grantDue(office, userIds)).rejects.toMatchObject({ code: 'insufficient_supply', details: { remaining: '3' } })
  expect(await office.supply()).toMatchObject({ bonus: 0 })

  // One node was granted by hand after the preview.
  await assign(office, one.user.email, 1)
  await sql(office.server.services.orm.em.fork(), 'update supply set total = 44')
  const { granted } = await grantDue(office, userIds)
  expect(granted.map(({ userId, bonusPending }) => [userId, bonusPending])).toEqual([
    [two.user.id, 2],
    [one.user.id, 1],
  ])
  expect(await office.supply()).toMatchObject({ bonus: 4 })
})

test('a single grant and a concurrent grant of all due nodes both succeed, and nothing is granted twice', async () => {
  const office = await startBackOffice()
  const holders = [await openHolder(office, 10), await openHolder(office, 10)]
  const userIds = holders.map(({ user }) => user.id)
  const { refused } = await outcomes([
    grantDue(office, userIds),
    assign({ call: office.other.browser.call }, holders[0]!.user.email, 1),
    grantDue({ call: office.other.browser.call }, userIds),
  ])
  expect(refused).toEqual([])
  const { bonus } = await office.supply()
  // The single grant either came first and covered the due node, or came second and is an additional node.
  expect([2, 3]).toContain(bonus)
  expect((await office.call(contract.listBonusDue, {})).users).toEqual([])
})
