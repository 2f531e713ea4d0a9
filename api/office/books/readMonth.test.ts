import { expect, test } from 'vitest'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import * as contract from '#shared/contract/admin/books.ts'
import { refundDeposit } from '#shared/contract/admin/deposits.ts'
import { rejectWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { DAY, utcDay } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { approve, startBackOffice } from '#api/testing/backOffice.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { makeUser } from '#api/testing/factories.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { startHolders } from '#api/testing/holders.ts'
import { startPayouts } from '#api/testing/payouts.ts'
import type { TestBrowser } from '#api/testing/server.ts'
import { settleDebts } from '#api/withdrawals/requests/debts.ts'
import { readMonth } from './readMonth.ts'

/** Amounts as text, so that a difference can be read. */
const plain = <Value>(value: Value): unknown =>
  JSON.parse(JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? formatAmount(part) : part)))

/** The rows of an export. */
async function download(url: string, { browser }: { browser: TestBrowser }, path: string) {
  const answer = await browser.fetch(`${url}${path}?format=csv`)
  expect(answer.status).toBe(200)
  const [head, ...rows] = (await answer.text()).replace('\uFEFF', '').trimEnd().split('\r\n')
  return rows.map((row) => Object.fromEntries(row.split(',').map((cell, at) => [head!.split(',')[at], cell])))
}

test('sold, received and refunded are the sums of the audited rows', async () => {
  const office = await startBackOffice()
  const month = utcDay(office.server.clock.productNow()).slice(0, 7)
  const buyer = await office.openBuyer()
  await office.reserve(buyer, 10)
  await office.pay(buyer.wallet, '30')
  await office.confirm()
  await approve(office.one.browser, (await office.openPurchase(await office.openBuyer(), 2, '6')).id)
  const stranger = await office.openStranger()
  const [kept, returned] = [await office.pay(stranger, '7'), await office.pay(stranger, '5')]
  await office.confirm()
  const back = await office.sendBack(stranger.address, '4.5')
  await office.call(refundDeposit, {
    params: { id: await office.depositOf(returned) },
    body: { transactionHash: back, note: 'Sent back.', reason: 'The fee.' },
  })

  const report = await office.call(contract.getMonth, { query: { month } })
  expect(plain(report)).toMatchObject({
    month,
    isFinal: false,
    isBeforeSetup: false,
    sold: { count: 2, nodes: 12, usdt: '36' },
    bonusNodes: 0,
    received: { count: 3, usdt: '42', used: '30', inReview: '7', ignored: '0', returned: '5' },
    refunded: { count: 1, usdt: '4.5' },
    audit: null,
  })
  await sql(office.server.services.orm.em.fork(), 'update installation set set_up_at = now()')
  const other = await office.call(contract.getMonth, { query: { month: '2020-01' } })
  expect(plain(other)).toMatchObject({
    isFinal: true,
    isBeforeSetup: true,
    sold: { count: 0, nodes: 0, usdt: '0' },
    received: { count: 0, usdt: '0' },
    refunded: { count: 0, usdt: '0' },
  })
  expect(kept).not.toBe(returned)
})

test('owed, paid and fees are the movements of the ledger, and closing is what holders have', async () => {
  const payouts = await startPayouts()
  await payouts.tick()
  const administrator = await openAdministrator(payouts.server)
  const month = utcDay(payouts.clock.productNow()).slice(0, 7)
  const read = async () => plain(await administrator.browser.call(contract.getMonth, { query: { month } })) as Plain
  await payouts.open()
  const rejected = await payouts.open({ reviewReason: 'above_limit' })
  expect(await read()).toMatchObject({
    openWithdrawals: 2,
    owed: { requested: '6000', refunded: '0' },
    paid: { count: 0, xcr: '0' },
  })
  await administrator.browser.call(rejectWithdrawal, { params: { id: rejected.id }, body: { reason: 'A stranger.' } })
  await payouts.tick()
  await payouts.confirm()

  const report = await read()
  expect(report).toMatchObject({
    openWithdrawals: 0,
    owed: { opening: '0', rewarded: '0', requested: '6000', refunded: '3000', debts: '0', closing: '3000' },
    paid: { count: 1, xcr: '2995' },
    fees: '5',
    hotWallet: { withdrawals: { count: 1, xcr: '2995' }, sweeps: { count: 0, xcr: '0' } },
  })
  const [held] = await sql<{ balance: string }>(
    payouts.orm.em.fork(),
    `select sum(balance) as balance from accounts where kind = 'user'`,
  )
  expect(report.owed.closing).toBe(formatAmount(BigInt(held!.balance)))
  expect(await payouts.audit()).toEqual([])

  const sent = await download(payouts.server.url, administrator, contract.exportPayouts.path)
  expect(sent).toMatchObject([{ State: 'paid', 'Sent (XCR)': '2995', 'Withdrawn (XCR)': '3000', 'Fee (XCR)': '5' }])
  const entries = await download(payouts.server.url, administrator, contract.exportLedger.path)
  const [total] = await sql<{ count: number }>(payouts.orm.em.fork(), 'select count(*)::int as count from ledger_entries')
  expect(entries).toHaveLength(total!.count)
  expect(entries.filter(({ To }) => To === 'fees')).toMatchObject([{ From: 'payouts', 'Amount (XCR)': '5' }])
})

test('the columns of the payouts sum up to what was sent: a rejected or failed one sent nothing', async () => {
  const payouts = await startPayouts()
  const administrator = await openAdministrator(payouts.server)
  const month = utcDay(payouts.clock.productNow()).slice(0, 7)
  await payouts.open()
  const rejected = await payouts.open()
  await payouts.tick()
  await sql(payouts.orm.em.fork(), 'update payouts set cancel_requested_at = now() where withdrawal_id = $1', [rejected.id])
  await payouts.tick()
  await payouts.confirm()
  const { hotWallet, fees } = await administrator.browser.call(contract.getMonth, { query: { month } })

  const rows = await download(payouts.server.url, administrator, contract.exportPayouts.path)

  expect(rows.map(({ State }) => State)).toEqual(['paid', 'cancelled'])
  const sum = (column: string) => rows.reduce((total, row) => total + parseAmount(row[column] || '0')!, 0n)
  expect(sum('Sent (XCR)')).toBe(hotWallet.withdrawals.xcr)
  expect(sum('Fee (XCR)')).toBe(fees)
  expect(sum('Withdrawn (XCR)')).toBe(hotWallet.withdrawals.xcr + fees)
})

interface Plain {
  owed: { closing: string }
}

test('a month is not final while its last days have no run', async () => {
  const { at, orm, openHolder, pay } = await startHolders()
  at('2027-03-28T12:00:00Z')
  await openHolder({ nodes: 3 })
  at('2027-03-30T09:00:00Z')
  await pay()
  const read = () => readMonth(orm.em.fork(), { month: '2027-03', productNow: new Date('2027-04-02T10:00:00Z') })
  expect(await read()).toMatchObject({ isFinal: false })

  at('2027-03-31T09:00:00Z')
  await pay()
  expect(await read()).toMatchObject({ isFinal: true })
})

test('a month is not final while a withdrawal of it has an open debt, whose payments are entered on its day', async () => {
  const payouts = await startPayouts()
  const { orm } = payouts
  const holder = makeAccount()
  const { user } = await makeUser(orm.em.fork(), {
    wallet: holder.address.toLowerCase() as `0x${string}`,
    otp: true,
    now: payouts.clock.now(),
    registeredAt: new Date(payouts.clock.now().getTime() - DAY),
  })
  await payouts.chain.transfer({ from: payouts.key, to: holder.address, amount: parseAmount('2995')! })
  await payouts.mineLater()
  await payouts.confirm()
  await payouts.reconcile()
  const [debt] = await sql<{ month: string }>(
    orm.em.fork(),
    `select to_char(w.created_at at time zone 'UTC', 'YYYY-MM') as month from debts d join withdrawals w on w.id = d.withdrawal_id`,
  )
  const { month } = debt!
  const read = () => readMonth(orm.em.fork(), { month, productNow: new Date(payouts.clock.now().getTime() + 40 * DAY) })
  expect(await read()).toMatchObject({ isFinal: false, openWithdrawals: 0 })

  await giveXcr(orm, user.id, '3000')
  await settleDebts.run(payouts.services)
  expect(await read()).toMatchObject({ isFinal: true, owed: { debts: parseAmount('3000'), debtsPaid: parseAmount('3000') } })
})

test('a month closes with what the next one opens with, and its rewards are those of its days', async () => {
  const { at, orm, openHolder, pay, differences } = await startHolders()
  at('2027-03-29T12:00:00Z')
  await openHolder({ nodes: 3 })
  at('2027-04-02T09:00:00Z')
  await pay()
  await pay()
  const read = async (month: string) =>
    plain(await readMonth(orm.em.fork(), { month, productNow: new Date('2027-04-02T10:00:00Z') })) as { owed: object }

  // Two days in March, the 30th and 31st, and two in April.
  expect(await read('2027-03')).toMatchObject({
    isFinal: true,
    owed: { opening: '0', rewarded: '60', requested: '0', closing: '60' },
  })
  expect(await read('2027-04')).toMatchObject({ isFinal: false, owed: { opening: '60', rewarded: '60', closing: '120' } })
  expect(await read('2027-05')).toMatchObject({ isFinal: false, owed: { opening: '120', rewarded: '0', closing: '120' } })
  expect(await differences()).toEqual([])

  const wallet = `0x${'ab'.repeat(20)}`
  for (const [day, tokens] of [
    ['2027-03-30', '5'],
    ['2027-03-31', '6'],
    ['2027-04-01', '7'],
    ['2027-04-02', '8'],
  ])
    await sql(
      orm.em.fork(),
      `insert into payout_wallet_readings values ($1, $2, $2::date::timestamp at time zone 'UTC', 10, $3::numeric * 1e18, 1e18)`,
      [wallet, day, tokens],
    )
  const balances = async (month: string) =>
    ((await read(month)) as unknown as { hotWallet: { balances: object } }).hotWallet.balances
  const on = (day: string, tokens: string) => ({ at: `${day}T00:00:00.000Z`, blockNumber: 10, tokens, coins: '1' })
  expect(await balances('2027-02')).toEqual([])
  expect(await balances('2027-03')).toMatchObject([{ wallet, opening: on('2027-03-30', '5'), closing: on('2027-04-01', '7') }])
  expect(await balances('2027-04')).toMatchObject([{ wallet, opening: on('2027-04-01', '7'), closing: on('2027-04-02', '8') }])
})
