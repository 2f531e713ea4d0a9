import { expect, test, vi } from 'vitest'
import { shorten } from '#shared/address.ts'
import { readPurchases, expectToast, typeCode, useProduct } from './fixtures.ts'

const product = useProduct()
const TIMEOUT = 60_000

test('on a phone that goes offline right after the transfer, the purchase ends confirmed once the app is reopened', async () => {
  await product.setUp()
  const person = await product.arriveAsMember({
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    serviceWorkers: 'allow',
  })
  const { page, context, wallet } = person
  await page.goto('/purchase')
  await page.getByRole('banner').getByRole('button', { name: 'Connect Wallet' }).tap()
  await page.getByRole('dialog').getByRole('button', { name: wallet.name }).tap()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.getByRole('radio', { name: '5', exact: true }).tap()
  await page.getByRole('button', { name: /^Pay .* to purchase/ }).tap()
  await typeCode(person, await person.makeCode())
  const dialog = page.getByRole('dialog', { name: 'Payment Progress' })
  await dialog.getByRole('button', { name: 'Switch to BNB Smart Chain' }).tap()
  const pay = dialog.getByRole('button', { name: 'Pay 15 USDT' })
  await pay.waitFor()

  // The wallet has sent it; the phone then loses its connection.
  wallet.onSent = () => context.setOffline(true)
  await pay.tap()
  await expectToast(person, 'Transaction Submitted')
  await dialog.getByText("Notifying the server. We'll retry until it responds.").waitFor()
  await dialog.getByRole('button', { name: 'Close' }).first().tap()
  const kept = await page.evaluate(() => localStorage.getItem('payment_outbox'))
  expect(kept).toContain(wallet.sent[0])
  await page.close()

  // Later, online again: any page that is opened sends the report.
  await context.setOffline(false)
  person.errors.length = 0
  const later = await context.newPage()
  await later.goto('/')
  await vi.waitFor(
    async () => {
      expect(await later.evaluate(() => localStorage.getItem('payment_outbox'))).toBe('[]')
      expect(await readPurchases(person)).toMatchObject([{ paymentStatus: 'confirmed', transactionHash: wallet.sent[0] }])
    },
    { timeout: TIMEOUT, interval: 250 },
  )
  await later.goto('/history')
  await later
    .getByRole('link', { name: shorten(wallet.sent[0]!) })
    .first()
    .waitFor()
  await later.getByText('Completed').first().waitFor()
  expect(await readPurchases(person)).toHaveLength(1)
})

test('a payment in progress is shown on another device, from its confirmations to its nodes', async () => {
  await product.setUp()
  const person = await product.arriveAsMember()
  const { page, wallet } = person
  const chain = (method: string, ...params: unknown[]) =>
    fetch(product.running().paymentRpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  await page.goto('/purchase')
  await page.getByRole('banner').getByRole('button', { name: 'Connect Wallet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: wallet.name }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.getByRole('radio', { name: '1', exact: true }).click()
  await page.getByRole('button', { name: /^Pay .* to purchase/ }).click()
  await typeCode(person, await person.makeCode())
  const dialog = page.getByRole('dialog', { name: 'Payment Progress' })
  await dialog.getByRole('button', { name: 'Switch to BNB Smart Chain' }).click()
  // No block is mined before the other device has loaded.
  await chain('evm_setIntervalMining', 0)
  await chain('evm_setAutomine', false)
  await dialog.getByRole('button', { name: 'Pay 3 USDT' }).click()
  await vi.waitFor(async () => expect(await readPurchases(person)).toHaveLength(1), { timeout: TIMEOUT })

  const other = await product.comeBack(person)
  await other.page.goto('/')
  const strip = other.page.getByRole('region', { name: 'Payments in progress' })
  await strip.getByText('sent, waiting for the chain', { exact: true }).waitFor()
  await chain('anvil_mine', '0x2')
  await strip.getByText(/^[12] of 4 confirmations$/).waitFor()
  await chain('anvil_mine', '0x8')
  await strip.getByText('Your node has arrived', { exact: true }).waitFor()
  await chain('evm_setIntervalMining', 1)
})
