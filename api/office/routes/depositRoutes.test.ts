import type { Address } from 'viem'
import { expect, test } from 'vitest'
import { assignDeposit } from '#shared/contract/admin/deposits.ts'
import { listPayments } from '#shared/contract/purchases.ts'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { reviewWallets } from '#api/sale/deposits/reviewWallets.ts'
import { sql } from '#api/platform/db/sql.ts'
import { PRICE_TOLERANCE } from '#api/sale/purchases/amountDue.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { approve as approvePurchase, insist, manualConfirm, startBackOffice } from '#api/testing/backOffice.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { approve, inTwo, proposalOf } from '#api/testing/proposals.ts'

const insisting = { override: true, notes: 'By mail.' }

/** A back office with two owners, whose administrator for finance assigns payments. */
async function setUp() {
  const office = await startBackOffice()
  await openAdministrator(office.server, { role: 'owner' })
  const { call } = office.other.browser
  const pay = async (from: Parameters<typeof office.pay>[0], usdt: string) => {
    const hash = await office.pay(from, usdt)
    await office.confirm()
    return office.depositOf(hash)
  }
  return {
    office,
    pay,
    /** The deposit of a wallet that nobody has registered. */
    strange: async (usdt: string) => pay(await office.openStranger(), usdt),
    assign: (
      [id, ...others]: readonly string[],
      to: { purchaseId: string } | { userEmail: string; quantity: number },
      note = 'By mail.',
    ) => insist((named) => call(assignDeposit, { params: { id: id! }, body: { note, others, ...to, ...named } })),
    propose: (made: Promise<unknown>) => proposalOf(office.other.browser, made),
    decide: (made: Promise<unknown>) => inTwo(office.other.browser, office.one.browser, made),
  }
}

test('a payment that is worth less than the nodes it buys is assigned by two persons', async () => {
  const { office, strange, assign, propose } = await setUp()
  const { user } = await office.openBuyer()
  const id = await strange('3')
  const to = (quantity: number) => ({ userEmail: user.email, quantity })
  const proposal = await propose(assign([id], to(5000)))
  expect(proposal).toMatchObject({
    action: 'deposit.assign',
    target: `deposit:${id}`,
    userId: user.id,
    reason: 'By mail.',
    before: { amount: '3', state: 'review' },
    after: { state: 'assigned', userEmail: user.email, quantity: 5000 },
  })
  expect(await office.deposits()).toMatchObject([{ state: 'review' }])
  await approve(office.one.browser, await propose(assign([id], to(2))))
  await expect(approve(office.one.browser, proposal)).rejects.toMatchObject({ status: 409, code: 'deposit_closed' })
  expect(await office.supply()).toMatchObject({ paid: 2 })
})

test('payments that cover their nodes at the price of their blocks are assigned by one person', async () => {
  const { office, strange, assign, propose, pay } = await setUp()
  const { user } = await office.openBuyer()
  await assign([await strange('3')], { userEmail: user.email, quantity: 1 })
  const stranger = await office.openStranger()
  const parts = [await pay(stranger, '3')]
  await office.set('node_price_usdt', '4')
  parts.push(await pay(stranger, '4'))
  office.server.clock.advance(MINUTE)
  await office.set('node_price_usdt', '3')
  await propose(assign(parts, { userEmail: user.email, quantity: 2 }))
  await assign(parts, { userEmail: user.email, quantity: 1 })
  expect(await office.supply()).toMatchObject({ paid: 2 })
})

test('a payment that may have been refunded before a restore of the database is assigned by two persons, alone or with others', async () => {
  const { office, assign, propose, pay } = await setUp()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
  const part = await pay(buyer.wallet, '2')
  const until = new Date(Number((await office.chain.client.getBlock()).timestamp) * SECOND)
  const wallets = [buyer.wallet.address.toLowerCase() as Address]
  await office.database.orm.em.fork().transactional((em) => reviewWallets(em, { wallets, until }))
  await office.chain.mineAt(new Date(until.getTime() + MINUTE))
  const rest = await pay(buyer.wallet, '4')
  await propose(assign([part], { purchaseId }))
  await propose(assign([rest], { purchaseId }))
  await assign([rest], { userEmail: buyer.user.email, quantity: 1 })
  expect(await office.supply()).toMatchObject({ paid: 1 })
})

test('a purchase is confirmed with a payment that may have been refunded before a restore by two persons, read or not', async () => {
  const { office, propose } = await setUp()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  const wallets = [buyer.wallet.address.toLowerCase() as Address]
  const unread = await office.pay(buyer.wallet, '6')
  const until = new Date(Number((await office.chain.client.getBlock()).timestamp) * SECOND)
  await office.database.orm.em.fork().transactional((em) => reviewWallets(em, { wallets, until }))
  await propose(manualConfirm(office.other.browser, id, unread, insisting))
  await office.confirm()
  expect(await office.deposits()).toMatchObject([{ state: 'review', reason: 'unmatched' }])
  await propose(manualConfirm(office.other.browser, id, unread, insisting))
  expect(await office.supply()).toMatchObject({ paid: 0 })
})

test('before the refunded wallets of a restored database are named, two persons assign a payment or confirm with it', async () => {
  const { office, assign, propose, pay } = await setUp()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 2, '6')
  const part = await pay(buyer.wallet, '2')
  const unread = await office.pay(buyer.wallet, '6')
  await sql(office.database.orm.em.fork(), `update chain_progress set settled_table = '1'`)
  await propose(assign([part], { userEmail: buyer.user.email, quantity: 1 }))
  await propose(manualConfirm(office.other.browser, purchaseId, unread, insisting))
  expect(await office.supply()).toMatchObject({ paid: 0 })
})

test('a payment below the amount of a waiting purchase is assigned by two persons', async () => {
  const { office, strange, assign, propose, pay } = await setUp()
  const buyer = await office.openBuyer()
  const { id: purchaseId } = await office.openPurchase(buyer, 100, '300')
  const small = await strange('6')
  await propose(assign([small], { purchaseId }))
  await pay(buyer.wallet, '295')
  // Together they overpay it, so the buyer's own payment would stay in review.
  await propose(assign([small], { purchaseId }))
  await assign([await strange('5')], { purchaseId })
  expect(await office.supply()).toMatchObject({ paid: 100 })
})

test('a purchase paid at an earlier price is confirmed by two persons, and so is a payment assigned to it', async () => {
  const { office, strange, assign, propose } = await setUp()
  const buyer = await office.openBuyer()
  await office.set('node_price_usdt', '3')
  await office.set('node_price_usdt', '5')
  office.server.clock.advance(PRICE_TOLERANCE)
  const hash = await office.pay(buyer.wallet, '6')
  await buyer.grantMark()
  const { id: purchaseId } = await office.post(buyer, { quantity: 2, usdt: '6', hash })
  await office.confirm()
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'manual_review' }])
  await propose(approvePurchase(office.other.browser, purchaseId))
  await propose(manualConfirm(office.other.browser, purchaseId, hash, insisting))
  await propose(assign([await strange('6')], { purchaseId }))
  await assign([await strange('10')], { purchaseId })
  expect(await office.supply()).toMatchObject({ paid: 2 })
})

test('what another account paid counts for a purchase only if two persons override that', async () => {
  const { office, strange, assign, propose } = await setUp()
  const [owner, claimer] = [await office.openBuyer(), await office.openBuyer()]
  const hash = await office.pay(owner.wallet, '8')
  await claimer.grantMark()
  const { id: purchaseId } = await office.post(claimer, { quantity: 4, usdt: '12', hash })
  await office.confirm()
  expect(await office.deposits()).toMatchObject([{ reason: 'wrong_wallet', purchaseId }])

  await propose(assign([await strange('4')], { purchaseId }))
  await assign([await strange('12')], { purchaseId })
  expect(await office.deposits()).toMatchObject([{ state: 'review', amount: '8' }, { state: 'review' }, { state: 'assigned' }])
  const other = await office.pay(owner.wallet, '7')
  await claimer.grantMark()
  const { id } = await office.post(claimer, { quantity: 2, usdt: '6', hash: other })
  await office.confirm()
  const ofAnother = { code: 'transaction_foreign', message: expect.stringContaining('Another account has proven') }
  await expect(approvePurchase(office.other.browser, id)).rejects.toMatchObject(ofAnother)
  await expect(manualConfirm(office.other.browser, id, other)).rejects.toMatchObject(ofAnother)
  await propose(manualConfirm(office.other.browser, id, other, { override: true, notes: 'Both have written.' }))
  expect(await office.supply()).toMatchObject({ paid: 4 })
})

test('a payment of a registered wallet is assigned to another account by two persons', async () => {
  const { office, assign, propose, decide, pay } = await setUp()
  const [buyer, friend] = [await office.openBuyer(), await office.openBuyer()]
  const id = await pay(buyer.wallet, '4')
  const to = ({ user }: typeof buyer) => ({ userEmail: user.email, quantity: 1 })
  await propose(assign([id], to(friend)))
  await assign([id], to(buyer))
  const { id: purchaseId } = await office.openPurchase(friend, 1, '3')
  const taken = await pay(buyer.wallet, '4')
  const em = office.database.orm.em.fork()
  await sql(em, 'delete from change_events')
  await decide(assign([taken], { purchaseId }))
  expect(await office.purchases(friend)).toMatchObject([{ paymentStatus: 'confirmed' }])
  const [told] = await mailsTo(office.database, buyer.user.email)
  expect(told).toMatchObject({
    subject: 'Your payment of 4 USDT was used for another account',
    text: expect.stringContaining('If you think this is wrong, please contact us.'),
  })
  expect(told!.text).not.toContain(friend.user.email)
  const [payment] = await buyer.browser.call(listPayments, {})
  expect(payment).toMatchObject({ id: taken, state: 'credited', purchaseId: null, isForAnother: true })
  const friends = await friend.browser.call(listPayments, {})
  expect(friends).toMatchObject([{ id: taken, state: 'credited', purchaseId }])
  expect(friends[0]).not.toHaveProperty('isForAnother')
  const events = await sql<{ keys: string[] }>(em, 'select keys from change_events where user_id = $1', [buyer.user.id])
  expect(events.flatMap(({ keys }) => keys)).toContain(listPayments.path)
})

test('the owner of a payment that a purchase of another account is confirmed with is told, read before or not', async () => {
  const { office, decide } = await setUp()
  const [owner, friend] = [await office.openBuyer(), await office.openBuyer()]
  const titles = async () => (await mailsTo(office.database, owner.user.email)).map(({ subject }) => subject)
  const told = (usdt: string) => `Your payment of ${usdt} USDT was used for another account`
  const confirm = async (usdt: string, isRead: boolean) => {
    const { id } = await office.openPurchase(friend, 2, '6')
    const hash = await office.pay(owner.wallet, usdt)
    if (isRead) await office.confirm()
    await decide(manualConfirm(office.other.browser, id, hash, insisting))
    await office.confirm()
  }
  await confirm('7', true)
  expect(await titles()).toEqual([told('7'), 'Your payment of 7 USDT waits for our team'])
  await confirm('8', false)
  expect((await titles())[0]).toBe(told('8'))
  const [friends] = await mailsTo(office.database, friend.user.email)
  expect(friends!.subject).toBe('A payment of 8 USDT for your purchase is confirmed')

  const hash = await office.pay(owner.wallet, '5')
  await friend.grantMark()
  const { id } = await office.post(friend, { quantity: 2, usdt: '6', hash })
  await office.confirm()
  await decide(manualConfirm(office.other.browser, id, hash, insisting))
  expect((await titles())[0]).toBe(told('5'))
})

test('a payment of another account, or of a wallet that another has registered since, counts for a purchase with two persons', async () => {
  const { office, assign, propose, pay } = await setUp()
  const [owner, friend] = [await office.openBuyer(), await office.openBuyer()]
  const { id: purchaseId } = await office.openPurchase(owner, 2, '6')
  const change = (statement: string) => sql(office.database.orm.em.fork(), statement, [friend.user.id])
  const part = await pay(owner.wallet, '7')
  const hash = await office.pay(owner.wallet, '6')
  await office.confirm()

  await change('update deposits set user_id = $1')
  await propose(assign([part], { userEmail: owner.user.email, quantity: 2 }))
  await propose(manualConfirm(office.other.browser, purchaseId, hash, insisting))

  await change('update deposits set user_id = null where user_id = $1')
  await change(`update wallet_registrations set removed_at = now() where user_id <> $1`)
  await change(`insert into wallet_registrations (id, user_id, address, registered_at, proven_at)
    select gen_random_uuid(), $1, wallet, now(), now() from purchases`)
  office.server.clock.advance(MINUTE)
  await propose(assign([part], { userEmail: owner.user.email, quantity: 2 }))
  await propose(manualConfirm(office.other.browser, purchaseId, hash, insisting))

  // Its owner is not connected now.
  await change('update wallet_registrations set removed_at = now() where user_id = $1')
  await propose(assign([part], { userEmail: owner.user.email, quantity: 2 }))
  await propose(manualConfirm(office.other.browser, purchaseId, hash, insisting))
  expect(await office.supply()).toMatchObject({ paid: 0 })
})

test('who approves payments that are assigned together sees each of them, and none may have changed meanwhile', async () => {
  const { office, assign, propose } = await setUp()
  const [buyer, friend] = [await office.openBuyer(), await office.openBuyer()]
  const ids: string[] = []
  for (const usdt of ['4', '7', '5']) {
    const hash = await office.pay(buyer.wallet, usdt)
    await office.confirm()
    ids.push(await office.depositOf(hash))
  }
  const proposal = await propose(assign(ids, { userEmail: friend.user.email, quantity: 1 }))
  const { others, ...first } = proposal.before as { amount: string; others: { target: string; before: { amount: string } }[] }
  expect([first, ...others.map(({ before }) => before)].map(({ amount }) => amount).toSorted()).toEqual(['4', '5', '7'])
  expect(new Set([proposal.target, ...others.map(({ target }) => target)])).toEqual(new Set(ids.map((id) => `deposit:${id}`)))
  expect(proposal.after).toMatchObject({ others })

  const changed = others[1]!.target.replace('deposit:', '')
  await sql(office.database.orm.em.fork(), `update deposits set notes = 'Another look.' where id = $1`, [changed])
  await expect(approve(office.one.browser, proposal)).rejects.toMatchObject({ code: 'proposal_outdated' })
  expect(await office.supply()).toMatchObject({ paid: 0 })
})
