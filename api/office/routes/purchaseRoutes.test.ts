import { expect, test } from 'vitest'
import { formatAmount } from '#shared/amount.ts'
import { assignBonus } from '#shared/contract/admin/bonus.ts'
import { refundDeposit } from '#shared/contract/admin/deposits.ts'
import * as contract from '#shared/contract/admin/purchases.ts'
import { MINUTE } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import { approve, type BackOffice, startBackOffice } from '#api/testing/backOffice.ts'
import { type ReadCell, readSpreadsheet } from '#api/testing/readSpreadsheet.ts'

const list = ({ call }: Pick<BackOffice, 'call'>, query: { email?: string; limit?: number; offset?: number } = {}) =>
  call(contract.listAdminPurchases, { query: { limit: 15, offset: 0, ...query } })

/** The rows of the file. */
async function download({ one, server }: BackOffice, email?: string): Promise<Record<string, ReadCell>[]> {
  const query = email === undefined ? '' : `?email=${encodeURIComponent(email)}`
  const response = await one.browser.fetch(`${server.url}/api/admin/purchases/download${query}`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="purchases-\d{4}-\d\d-\d\d\.xlsx"$/)
  const [headers, ...rows] = readSpreadsheet(new Uint8Array(await response.arrayBuffer()))
  return rows.map((row) => Object.fromEntries(headers!.map((header, index) => [header, row[index] ?? null])))
}

/** Two buyers, one of them with a bonus, and one account with only a reservation. */
async function setup() {
  const office = await startBackOffice({ env: { RATE_LIMITS: 'export=100/900' } })
  const open = (name: string) => office.openBuyer({ email: `${name}-${newId()}@example.com` })
  const [anna, bert, carl] = [await open('anna_1'), await open('bert%'), await open('annax1')]
  const later = () => office.server.clock.advance(MINUTE)
  const bought = await office.openPurchase(anna, 12, '36')
  await approve(office.one.browser, bought.id)
  later()
  await office.call(assignBonus, { body: { userEmail: anna.user.email, quantity: 1 } })
  later()
  const pending = await office.openPurchase(bert, 2, '6')
  later()
  await office.reserve(carl, 5)
  return { office, anna, bert, carl, bought, pending, later }
}

test('all purchases are listed, newest first, including bonus nodes and excluding reservations', async () => {
  const { office, anna, bert, bought, pending } = await setup()
  const { purchases, ...rest } = await list(office)

  expect(
    purchases.map(({ user, paymentStatus, purchaseAmountUsdt }) => [user.email, paymentStatus, formatAmount(purchaseAmountUsdt)]),
  ).toEqual([
    [bert.user.email, 'pending', '6'],
    [anna.user.email, 'confirmed', '0'],
    [anna.user.email, 'confirmed', '36'],
  ])
  expect(purchases[0]!.id).toBe(pending.id)
  expect(purchases[2]).toMatchObject({ id: bought.id, nodeNumbers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], finalQuantity: 12 })
  expect(rest).toEqual({ totalCount: 3, currentPage: 1, totalPages: 1, hasNextPage: false, hasPrevPage: false, summary: null })

  const second = await list(office, { limit: 2, offset: 2 })
  expect(second).toMatchObject({ totalCount: 3, currentPage: 2, totalPages: 2, hasNextPage: false, hasPrevPage: true })
  expect(second.purchases.map(({ id }) => id)).toEqual([bought.id])
})

test('a filter matches a part of the email address, in any case and without wildcards, and sums all matches', async () => {
  const { office, anna, bert } = await setup()
  expect(await list(office, { email: 'ANNA_1', limit: 1 })).toMatchObject({
    totalCount: 2,
    totalPages: 2,
    purchases: [{ user: { email: anna.user.email } }],
    summary: { purchaseCount: 2, paidNodes: 12, bonusNodes: 1, totalNodes: 13 },
  })
  expect(await list(office, { email: 't%' })).toMatchObject({
    purchases: [{ user: { email: bert.user.email } }],
    // No bonus is allocated yet.
    summary: { purchaseCount: 1, paidNodes: 0, bonusNodes: 0, totalNodes: 0 },
  })
  expect(await list(office, { email: 'nobody at all' })).toMatchObject({
    purchases: [],
    totalCount: 0,
    totalPages: 0,
    summary: { purchaseCount: 0, totalNodes: 0 },
  })
})

test('the export has every row of the filter, exact amounts, and refunds as negative amounts', async () => {
  const { office, anna, bert, bought, pending, later } = await setup()
  const note = '=HYPERLINK("http://evil.example","x")'
  await office.call(contract.cancelPurchase, { params: { id: pending.id }, body: { reason: note } })
  later()
  const paid = await office.openPurchase(bert, 2, '6')
  const hash = await office.pay(bert.wallet, '6.000000000000000001')
  await office.confirm()
  const back = await office.sendBack(bert.wallet.address, '5.999999999999999999')
  await office.call(refundDeposit, {
    params: { id: await office.depositOf(hash) },
    body: { transactionHash: back, note: 'Sent back.', reason: 'Less the fee of the transfer.' },
  })

  const rows = await download(office)
  expect(rows).toMatchObject([
    {
      User: bert.user.email,
      'Amount (USDT)': '6',
      'Received (USDT)': null,
      'Refunded (USDT)': '-5.999999999999999999',
      Status: 'Under Review',
      Result: 'amount_mismatch',
      'Purchase ID': paid.id,
    },
    { Status: 'cancelled', Notes: `'${note}`, 'Requested nodes': 2, 'Allocated nodes': null },
    { User: anna.user.email, Type: 'Bonus Nodes', 'Amount (USDT)': '0', 'Node numbers': '13', 'Tx hash': null },
    {
      User: anna.user.email,
      Type: 'Node Purchase',
      'Amount (USDT)': '36',
      'Allocated nodes': 12,
      'Node numbers': '1–12',
      Status: 'Completed',
      'Date (UTC)': new Date(bought.createdAt),
    },
  ])
  const ids = rows.map((row) => row['Purchase ID'])
  expect(ids).toEqual((await list(office)).purchases.map(({ id }) => id))

  for (const email of ['ANNA_1', 't%', 'example', 'nobody at all']) {
    const { purchases, summary } = await list(office, { email })
    const found = await download(office, email)
    expect(found.map((row) => row['Purchase ID'])).toEqual(purchases.map(({ id }) => id))
    expect(found.reduce((sum, row) => sum + Number(row['Allocated nodes'] ?? 0), 0)).toBe(summary!.totalNodes)
  }
})
