import { expect, test } from 'vitest'
import { listInbox } from '#shared/contract/inbox.ts'
import { DAY } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { formatTime } from '#api/platform/mail/formatTime.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { mailsTo } from '#api/testing/mails.ts'
import type { Buyer } from '#api/testing/people.ts'
import { type Sale, startSale } from '#api/testing/sale.ts'
import { PRICE_TOLERANCE } from '../purchases/amountDue.ts'

const inbox = async ({ browser }: Buyer) => {
  const { messages } = await browser.call(listInbox, { query: { limit: 30, offset: 0 } })
  return messages.filter(({ topic }) => topic === 'payments').toReversed()
}
const DONT_PAY_AGAIN =
  "Our team will review it within five business days, and you will hear from us. It is safe; please don't pay again."
const titles = async (buyer: Buyer) => (await inbox(buyer)).map(({ title }) => title)
const mails = async ({ database }: Sale, { user }: Buyer) => (await mailsTo(database, user.email)).map(({ subject }) => subject)

test('a payment is told when it is found, with its purchase and without a mail', async () => {
  const sale = await startSale({ mining: 'manual', confirmations: 6 })
  const buyer = await sale.openBuyer()
  const { id } = await sale.reserve(buyer, 2)
  const hash = await sale.pay(buyer.wallet, '6')
  await sale.chain.mine()
  await sale.watch()
  expect(await inbox(buyer)).toMatchObject([
    {
      title: 'Your payment of 6 USDT was found',
      link: '/history',
      facts: [
        ['Transaction', hash],
        ['Purchase', id],
      ],
    },
  ])
  expect(await mails(sale, buyer)).toEqual([])
})

test('nodes are promised only for the whole amount of nodes that are held', async () => {
  const sale = await startSale({ mining: 'manual', confirmations: 6 })
  const [exact, reported] = [await sale.openBuyer(), await sale.openBuyer()]
  const found = async (buyer: Buyer) => (await inbox(buyer))[0]!.paragraphs
  await sale.reserve(exact, 2)
  await sale.pay(exact.wallet, '6')
  await sale.reserve(reported, 2)
  await sale.post(reported, { quantity: 2, usdt: '6', hash: await sale.pay(reported.wallet, '4') })
  await sale.chain.mine()
  await sale.watch()
  const waits = 'It is on the chain and waits for confirmations.'
  expect(await found(exact)).toEqual([`${waits} Your nodes follow within minutes, without any action from you.`])
  expect(await found(reported)).toEqual([`${waits} You will hear from us within minutes.`])
})

test('a payment that vanishes in a reorganization and is mined again is told once', async () => {
  const sale = await startSale({ mining: 'manual', confirmations: 6 })
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  const hash = await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(3)
  await sale.watch()
  const bytes = await sale.chain.signedBytes(hash)
  await sale.chain.reorganize(3)
  await sale.chain.mine()
  await sale.watch()
  await sale.chain.client.sendRawTransaction({ serializedTransaction: bytes })
  await sale.chain.mine(6)
  await sale.watch()

  expect(await sale.nodeNumbers()).toEqual([1, 2])
  expect(await titles(buyer)).toEqual(['Your payment of 6 USDT was found'])
})

test('a watcher that fails before it commits has told nothing; the next one tells it once', async () => {
  const sale = await startSale({ mining: 'manual', confirmations: 6 })
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine()
  const em = sale.database.superuser.em.fork()
  // The cursor is the last write of the range.
  await sql(em, 'alter table chain_blocks add constraint broken check (false) not valid')
  await expect(sale.watch()).rejects.toThrow('broken')
  expect(await titles(buyer)).toEqual([])
  await sql(em, 'alter table chain_blocks drop constraint broken')
  await sale.watch()
  await sale.watch()
  expect(await titles(buyer)).toEqual(['Your payment of 6 USDT was found'])
})

test('small change beside a payment is not told, and many payments of one request are one message', async () => {
  const sale = await startSale({ mining: 'manual', confirmations: 6 })
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  for (const usdt of ['0.4', '6', '0.4', '6']) {
    await sale.pay(buyer.wallet, usdt)
    await sale.chain.mine()
  }
  await sale.watch()
  expect(await titles(buyer)).toEqual(['Your payment of 6 USDT was found'])
})

test('a payment of another amount is told with its reason and by mail, and again when the rest arrives', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const { id } = await sale.reserve(buyer, 2)
  const hash = await sale.pay(buyer.wallet, '4')
  await sale.confirm()
  await sale.watch()
  const [told, ...others] = await inbox(buyer)
  expect(others).toEqual([])
  expect(told).toMatchObject({
    title: 'Your payment of 4 USDT waits for our team',
    facts: [
      ['Transaction', hash],
      ['Purchase', id],
    ],
  })
  const [purchase] = await sale.purchases(buyer)
  const until = formatTime.en.minute(new Date(purchase!.createdAt.getTime() + DAY))
  expect(told!.paragraphs).toEqual([
    `It is less than your purchase costs. Send exactly the missing 2 USDT from the same wallet by ${until}, and your purchase is confirmed automatically, as long as enough nodes are left.`,
    'Otherwise our team will review it within five business days, and you will hear from us. Your payment is safe.',
  ])
  expect(await mails(sale, buyer)).toEqual(['Your payment of 4 USDT waits for our team'])

  await sale.pay(buyer.wallet, '2')
  await sale.confirm()
  expect(await mails(sale, buyer)).toEqual([
    '2 nodes are yours: your purchase is confirmed',
    'Your payment of 4 USDT waits for our team',
  ])
})

test('who pays in parts is not asked for a rest that is settled with them or on its way', async () => {
  const sale = await startSale({ mining: 'manual', confirmations: 6 })
  const [exact, excess, slow] = [await sale.openBuyer(), await sale.openBuyer(), await sale.openBuyer()]
  for (const [buyer, rest] of [
    [exact, '2'],
    [excess, '3'],
  ] as const) {
    await sale.reserve(buyer, 2)
    for (const part of ['4', rest]) {
      await sale.pay(buyer.wallet, part)
      await sale.chain.mine()
    }
  }
  await sale.confirm()
  expect(await titles(exact)).toEqual([])
  expect(await inbox(excess)).toMatchObject([
    {
      title: 'Your payment of 7 USDT waits for our team',
      paragraphs: ['What has arrived for your purchase is more than it costs.', DONT_PAY_AGAIN],
    },
  ])

  await sale.reserve(slow, 2)
  await sale.pay(slow.wallet, '4')
  await sale.chain.mine()
  await sale.pay(slow.wallet, '2')
  await sale.chain.mine(5)
  await sale.watch()
  expect(await inbox(slow)).toMatchObject([{ paragraphs: ['It is less than your purchase costs.', DONT_PAY_AGAIN] }])
  await sale.confirm()
  expect(await sale.nodeNumbers()).toEqual([1, 2, 3, 4])
})

test('the last of several parts is not said to cost more than the purchase by itself', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  for (const part of ['4', '3']) {
    await sale.pay(buyer.wallet, part)
    await sale.confirm()
  }
  expect((await inbox(buyer)).at(-1)).toMatchObject({
    title: 'Your payment of 3 USDT waits for our team',
    paragraphs: ['What has arrived for your purchase is more than it costs.', DONT_PAY_AGAIN],
  })
})

test('no rest is asked for where it would not confirm the purchase: at an earlier price, or a day after the request', async () => {
  const sale = await startSale({ mining: 'manual' })
  const [outdated, slow] = [await sale.openBuyer(), await sale.openBuyer()]
  const lastOf = async (buyer: Buyer) => (await inbox(buyer)).at(-1)!.paragraphs
  const byTeam = ['It is less than your purchase costs.', DONT_PAY_AGAIN]
  await sale.reserve(slow, 2)
  await sale.pay(slow.wallet, '1')
  await sale.confirm()
  expect((await lastOf(slow))[0]).toContain('the missing 5 USDT')

  await sale.set('node_price_usdt', '3')
  await sale.set('node_price_usdt', '5')
  sale.server.clock.advance(PRICE_TOLERANCE)
  await outdated.grantMark()
  await sale.post(outdated, { quantity: 2, usdt: '6', hash: `0x${'1'.repeat(64)}` })
  await sale.pay(outdated.wallet, '4')
  await sale.confirm()
  expect(await lastOf(outdated)).toEqual(byTeam)

  await sale.pay(slow.wallet, '2')
  await sale.chain.mineAt(new Date(sale.server.clock.now().getTime() + DAY))
  await sale.confirm()
  expect(await lastOf(slow)).toEqual(byTeam)
})

test('a late payment, one without a purchase and one when too few nodes are left say so', async () => {
  const sale = await startSale({ supply: 5 })
  const [late, unmatched, crowd] = [await sale.openBuyer(), await sale.openBuyer(), await sale.openBuyer()]
  const reasonOf = async (buyer: Buyer) => (await inbox(buyer)).at(-1)!.paragraphs[0]

  await sale.reserve(late, 2)
  await sql(
    sale.server.services.orm.em.fork(),
    `update purchases set opened_at = opened_at - interval '2 hours', expires_at = expires_at - interval '2 hours' where user_id = $1`,
    [late.user.id],
  )
  await sale.pay(late.wallet, '6')
  await sale.pay(unmatched.wallet, '8')
  await sale.confirm()
  expect(await reasonOf(late)).toContain('after the time for its purchase was over')
  expect(await reasonOf(unmatched)).toBe("It doesn't match a purchase of yours.")

  await sql(sale.server.services.orm.em.fork(), 'update supply set total = 1')
  await sale.pay(crowd.wallet, '9')
  await sale.confirm()
  expect(await reasonOf(crowd)).toBe('Too few nodes were left when it arrived.')
})

test('a payment reported by another account is told to both, and a stranger’s to nobody', async () => {
  const sale = await startSale()
  const [buyer, payer] = [await sale.openBuyer(), await sale.openBuyer({ otp: false })]
  await sale.reserve(buyer, 2)
  const hash = await sale.pay(payer.wallet, '6')
  await sale.post(buyer, { quantity: 2, usdt: '6', hash })
  const stranger = makeAccount()
  await sale.chain.mintUsdt(stranger.address, 10n ** 20n)
  await sale.pay(stranger, '6')
  await sale.confirm()
  expect((await inbox(buyer)).map(({ paragraphs }) => paragraphs[0])).toEqual([
    'The transaction you reported was sent from a wallet other than the one of your purchase.',
  ])
  expect((await inbox(payer)).map(({ paragraphs }) => paragraphs[0])).toEqual([
    'It was reported for a purchase of another account.',
  ])
  const [{ count } = { count: -1 }] = await sql<{ count: number }>(
    sale.server.services.orm.em.fork(),
    `select count(*)::int as count from inbox_messages where topic = 'payments'`,
  )
  expect(count).toBe(2)
})

test('who reports a payment of an own former wallet is not told of another account', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const em = sale.server.services.orm.em.fork()
  const former = makeAccount()
  await sale.chain.mintUsdt(former.address, 10n ** 20n)
  await sql(
    em,
    `insert into wallet_registrations (id, user_id, address, registered_at, proven_at)
     values (gen_random_uuid(), $1, $2, now() - interval '2 days', now() - interval '2 days')`,
    [buyer.user.id, former.address.toLowerCase()],
  )
  await sale.reserve(buyer, 2)
  const hash = await sale.pay(former, '6')
  await sale.post(buyer, { quantity: 2, usdt: '6', hash })
  await sale.confirm()

  expect((await inbox(buyer)).map(({ paragraphs }) => paragraphs[0])).toEqual([
    'The transaction you reported was sent from a wallet other than the one of your purchase.',
  ])
})

test('a payment without a purchase belongs to the account that proved its wallet last, and to none that only entered it', async () => {
  const sale = await startSale()
  const wallet = makeAccount()
  const entered = await sale.openBuyer({ wallet, proven: false })
  await sale.pay(wallet, '8')
  await sale.pay(wallet, '0.1')
  await sale.confirm()
  await sale.watch()
  const em = sale.server.services.orm.em.fork()
  const owners = () => sql<{ id: string }>(em, 'select distinct user_id as id from deposits where user_id is not null')
  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'unmatched' }, { state: 'ignored' }])
  expect(await owners()).toEqual([])
  expect(await titles(entered)).toEqual([])

  await sql(em, `update users set wallet_address = null`)
  const owner = await sale.openBuyer({ wallet, registeredAt: new Date(Date.now() - DAY) })
  await sale.pay(wallet, '8')
  await sale.confirm()
  expect(await owners()).toEqual([{ id: owner.user.id }])
  expect(await titles(owner)).toEqual(['Your payment of 8 USDT waits for our team'])
  expect(await titles(entered)).toEqual([])
})

test('many payments that wait for one reason are one message with their sum', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  for (let count = 0; count < 7; count += 1) await sale.pay(buyer.wallet, '4')
  await sale.confirm()
  const [message, ...others] = await inbox(buyer)
  expect(others).toEqual([])
  expect(message!.title).toBe('Your payment of 28 USDT waits for our team')
  expect(message!.facts).toHaveLength(5)
  sale.server.clock.advance(DAY)
  await sale.watch()
  expect(await mails(sale, buyer)).toHaveLength(1)
})
