import type { BrowserContextOptions } from 'playwright-core'
import { createWalletClient, defineChain, erc20Abi, http, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { shorten } from '#shared/address.ts'
import { walletProofMessage } from '#shared/walletProofMessage.ts'
import { type Member, type Person, expectToast, useProduct } from './fixtures.ts'
import { keepPictures } from './keepPictures.ts'

const product = useProduct()

type Tab = 'purchases' | 'bonus'

/** Opens a tab of the panel as an administrator, who is created if no leader. */
async function openBackOffice(tab: Tab, options: BrowserContextOptions = {}): Promise<Person> {
  await product.setUp()
  return product.openBackOffice({ tab, ...options })
}

const openTab = ({ page }: Person, tab: Tab) => page.goto(`/admin-panel?tab=${tab}`)

async function post({ context }: Person, path: string, data: object, method = 'POST') {
  const response = await context.request.fetch(path, { method, data })
  expect(response.ok(), `${method} ${path}: ${await response.text()}`).toBe(true)
}

/** A funded wallet on the payment chain that sends transfers without a browser. */
async function openWallet(person: Person) {
  const { depositAddress, paymentChain } = (await (await person.context.request.get('/api/config')).json()) as {
    depositAddress: `0x${string}`
    paymentChain: { chainId: number; usdtAddress: `0x${string}` }
  }
  const account = privateKeyToAccount(generatePrivateKey())
  const address = account.address.toLowerCase() as `0x${string}`
  await post(person, '/api/demo/fund', { address: account.address })
  const chain = defineChain({
    id: paymentChain.chainId,
    name: 'Payments',
    nativeCurrency: { name: 'BNB', symbol: 'BNB', decimals: 18 },
    rpcUrls: { default: { http: [product.running().paymentRpcUrl] } },
  })
  const client = createWalletClient({ account, chain, transport: http() }).extend(publicActions)
  return {
    address,
    /** Registers it for an account, with its signature. */
    async prove(member: Member) {
      const host = new URL(product.running().url).host
      const message = walletProofMessage({ host, email: member.email, address, timestamp: new Date().toISOString() })
      const proof = { message, signature: await account.signMessage({ message }) }
      await post(member, '/api/auth/user/wallet', { walletAddress: address, ...proof }, 'PATCH')
    },
    /** Returns the hash once it is mined. Sends to the deposit address by default. */
    async send(usdt: string, to = depositAddress): Promise<`0x${string}`> {
      const hash = await client.writeContract({
        address: paymentChain.usdtAddress,
        abi: erc20Abi,
        functionName: 'transfer',
        args: [to, parseAmount(usdt)!],
      })
      await client.waitForTransactionReceipt({ hash })
      return hash
    },
  }
}

/** A member with a pending purchase. */
async function orderNodes(quantity: number): Promise<Member & { payments: Awaited<ReturnType<typeof openWallet>> }> {
  const member = await product.arriveAsMember({ isRich: false })
  const payments = await openWallet(member)
  await post(member, '/api/auth/user/wallet', { walletAddress: payments.address }, 'PATCH')
  await post(member, '/api/node-purchase', { requestedQuantity: quantity, purchaseAmountUsdt: String(quantity * 3) })
  return { ...member, payments }
}

const review = ({ page }: Person) => page.getByRole('region', { name: 'Review' })
const table = ({ page }: Person, name = 'Purchases') => page.getByRole('table', { name })
const rowOf = (administrator: Person, email: string, name?: string) =>
  table(administrator, name).getByRole('row').filter({ hasText: email })
const dialog = ({ page }: Person, name: string) => page.getByRole('dialog', { name, exact: true })

/** Refetches the lists until the case appears: a payment needs confirmations first. */
async function waitForReview(administrator: Person, text: string | RegExp) {
  const item = review(administrator).getByRole('listitem').filter({ hasText: text })
  const all = review(administrator).getByRole('button', { name: /^Show all/ })
  await expect
    .poll(
      async () => {
        await administrator.page.getByRole('button', { name: 'Refresh review' }).click()
        if (await all.isVisible()) await all.click()
        return item.count()
      },
      { timeout: 60_000, interval: 250 },
    )
    .toBe(1)
  return item
}

/** The refused calls that the browser logs. */
const expectRefusals = (person: Person, count: number) =>
  expect(person.errors.splice(0)).toEqual(Array.from({ length: count }, () => expect.stringContaining('409')))

test('an administrator finds a purchase, downloads the list, cancels one purchase and confirms another', async () => {
  const administrator = await openBackOffice('purchases')
  const { page } = administrator
  const first = await orderNodes(3)
  const second = await orderNodes(4)
  await page.getByRole('button', { name: 'Refresh purchases' }).click()
  await rowOf(administrator, second.email).waitFor()

  // The filter, its total, its download, and clearing it.
  await page.getByLabel('Search by email').focus()
  await page.keyboard.type(first.email)
  await page.keyboard.press('Enter')
  await page.getByLabel('Summary of the filter').getByText('Purchases', { exact: true }).waitFor()
  await rowOf(administrator, second.email).waitFor({ state: 'detached' })
  const [file] = await Promise.all([
    // A tab that only downloads a file reports it to the page that opened it.
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Excel download' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^purchases-.*\.xlsx$/)
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await rowOf(administrator, second.email).waitFor()

  // Cancelling requires a reason.
  const cancelled = `purchase of 3 nodes by ${first.email}`
  await page.getByRole('button', { name: `Cancel: ${cancelled}` }).click()
  const cancellation = dialog(administrator, `Cancel ${cancelled}?`)
  await cancellation.getByRole('button', { name: 'Cancel purchase' }).click()
  await cancellation.getByText('Please enter a reason.').waitFor()
  await cancellation.getByLabel('Reason').fill('Requested twice')
  await cancellation.getByRole('button', { name: 'Cancel purchase' }).click()
  await expectToast(administrator, 'Purchase Cancelled')
  await rowOf(administrator, first.email).getByText('cancelled', { exact: true }).waitFor()
  await rowOf(administrator, first.email).getByText('Requested twice').waitFor()
  expect(await rowOf(administrator, first.email).getByRole('button', { name: cancelled }).count()).toBe(0)

  // Verified on the chain: the transaction belongs to somebody else.
  const stranger = await openWallet(second)
  const foreign = await stranger.send('12')
  const confirmed = `purchase of 4 nodes by ${second.email}`
  await page.getByRole('button', { name: `Manual confirm: ${confirmed}` }).click()
  const confirmation = dialog(administrator, `Confirm ${confirmed}`)
  const look = () => confirmation.getByRole('button', { name: /^(Manual confirm|Look up again)$/ }).click()
  await look()
  await expectToast(administrator, 'Not Confirmed', 'please enter the transaction hash')
  await confirmation.getByLabel('Transaction hash').fill('0x1234')
  await look()
  await expectToast(administrator, 'Not Confirmed', 'not a valid transaction hash format, 0x + 64 characters')
  await confirmation.getByLabel('Transaction hash').fill(`0x${'1'.repeat(64)}`)
  await look()
  await confirmation.getByText('This transaction is not on the chain. It may not be mined yet.').waitFor()
  await waitForRefusal(confirmation, foreign, look)
  await confirmation.getByRole('button', { name: 'Confirm anyway' }).click()
  await expectToast(administrator, 'Not Confirmed', 'Please enter a note explaining why.')
  await confirmation.getByLabel('Reason for override').fill('Her other wallet')
  await keepPictures(page, 'purchase, objections')
  await confirmation.getByRole('button', { name: 'Confirm anyway' }).click()
  await keepPictures(page, 'purchase, objections asked')
  await dialog(administrator, `Confirm the ${confirmed} anyway?`).getByRole('button', { name: 'Confirm anyway' }).click()
  await expectToast(administrator, 'Purchase Confirmed')
  const row = rowOf(administrator, second.email)
  await row.getByText('Completed', { exact: true }).waitFor()
  await row.getByText('1, 2, 3, 4', { exact: true }).waitFor()
  // The chain has no payment of it, so it is named as that, without a link.
  await row.getByText('Despite an objection', { exact: true }).waitFor()
  await row.getByText(shorten(foreign), { exact: true }).waitFor()
  expect(await row.getByRole('link', { name: shorten(foreign) }).count()).toBe(0)
  expect(administrator.errors.splice(0).every((error) => error.includes('409'))).toBe(true)
})

/** Submits a hash repeatedly until it has enough confirmations to be distinguished from an unknown one. */
async function waitForRefusal(confirmation: ReturnType<typeof dialog>, hash: string, look: () => Promise<void>) {
  await confirmation.getByLabel('Transaction hash').fill(hash)
  const refusal = confirmation.getByText(/^The payment was sent from 0x\w+, another wallet than that of the purchase\.$/)
  await expect
    .poll(
      async () => {
        await look()
        await confirmation.getByRole('alert').or(confirmation.getByRole('note')).waitFor()
        return refusal.count()
      },
      { timeout: 60_000, interval: 250 },
    )
    .toBe(1)
}

test('payments in review are assigned, refunded and ignored, and a second administrator is told', async () => {
  const administrator = await openBackOffice('purchases')
  const { page } = administrator
  const colleague = await openBackOffice('purchases')
  const buyer = await product.arriveAsMember({ isRich: false })
  const [one, two, three] = await Promise.all([openWallet(buyer), openWallet(buyer), openWallet(buyer)])
  await Promise.all([one.send('31'), two.send('7.5'), three.send('4')])
  const nameOf = (usdt: string, { address }: typeof one) => `payment of ${usdt} USDT from ${shorten(address)}`

  // Assigned to an account with another wallet.
  const assigned = await waitForReview(administrator, shorten(one.address))
  await assigned.getByText('It does not match any purchase.').waitFor()
  await assigned.getByText('5 business days left').waitFor()
  await assigned.getByRole('button', { name: 'Assign' }).click()
  const assignment = dialog(administrator, `Assign the ${nameOf('31', one)}`)
  expect(await assignment.getByLabel('Quantity').inputValue()).toBe('10')
  await assignment.getByLabel('Email of the account').fill(buyer.email)
  await assignment.getByLabel('Note').fill('He wrote to us from this wallet')
  await assignment.getByRole('button', { name: 'Assign' }).click()
  await dialog(administrator, `Assign the ${nameOf('31', one)}?`)
    .getByRole('button', { name: 'Assign' })
    .click()
  await expectToast(administrator, 'Payment Assigned')
  await assigned.waitFor({ state: 'detached' })
  await rowOf(administrator, buyer.email).getByText('Completed', { exact: true }).waitFor()

  // Refunded by an actual transfer.
  const refunded = await waitForReview(administrator, shorten(two.address))
  await refunded.getByRole('button', { name: /^Mark refunded: / }).click()
  const refund = dialog(administrator, `Mark the ${nameOf('7.5', two)} as refunded?`)
  await refund.getByLabel('Note').fill('Sent back')
  await refund.getByLabel('Transaction hash of the refund').fill(`0x${'2'.repeat(64)}`)
  await refund.getByRole('button', { name: 'Mark refunded' }).click()
  await refund.getByText('This transaction is not on the chain. It may not be mined yet.').waitFor()
  const back = await three.send('7.5', two.address)
  await refund.getByLabel('Transaction hash of the refund').fill(back)
  await expect
    .poll(
      async () => {
        await refund.getByRole('button', { name: 'Mark refunded' }).click()
        const done = page.getByText('Payment Refunded', { exact: true })
        await refund.getByRole('alert').or(done).first().waitFor()
        return done.count()
      },
      { timeout: 60_000, interval: 250 },
    )
    .toBeGreaterThan(0)
  await refund.waitFor({ state: 'detached' })
  await refunded.waitFor({ state: 'detached' })
  expect(administrator.errors.splice(0).every((error) => error.includes('409'))).toBe(true)

  // Ignored while another administrator has the same dialog open.
  const ignored = await waitForReview(administrator, shorten(three.address))
  const seenByColleague = await waitForReview(colleague, shorten(three.address))
  for (const item of [ignored, seenByColleague]) await item.getByRole('button', { name: /^Ignore/ }).click()
  for (const person of [administrator, colleague]) {
    const question = dialog(person, `Ignore the ${nameOf('4', three)}?`)
    await question.getByLabel('Reason').fill('A test of ours')
    await question.getByRole('button', { name: 'Ignore payment' }).click()
    await expectToast(person, person === administrator ? 'Payment Ignored' : 'Already decided')
    await question.waitFor({ state: 'detached' })
  }
  await ignored.waitFor({ state: 'detached' })
  await seenByColleague.waitFor({ state: 'detached' })
  expectRefusals(colleague, 1)
})

test('purchases in review are allocated, rejected, and paid by a payment in review', async () => {
  const administrator = await openBackOffice('purchases')
  const { page } = administrator
  const buyers = await Promise.all([orderNodes(11), orderNodes(5), orderNodes(2)])
  const [underpaid, rejected, other] = buyers
  await Promise.all([underpaid.payments.send('32'), rejected.payments.send('1')])

  const waiting = await waitForReview(administrator, new RegExp(`Purchase of 11 nodes by ${underpaid.email}`))
  await waiting.getByText('The amount received does not match the purchase price.').waitFor()
  await waiting.getByText('32 USDT', { exact: true }).waitFor()
  await waiting.getByRole('button', { name: 'Allocate' }).click()
  const allocation = dialog(administrator, `Allocate the purchase of 11 nodes by ${underpaid.email}?`)
  await allocation.getByLabel('Reason').fill('A USDT as a gift')
  await allocation.getByRole('button', { name: 'Allocate' }).click()
  await expectToast(administrator, 'Purchase Confirmed')
  await waiting.waitFor({ state: 'detached' })
  const row = rowOf(administrator, underpaid.email)
  await row.getByText('Completed', { exact: true }).waitFor()
  await row.getByText('A USDT as a gift').waitFor()
  await row.getByRole('button', { name: '+8 more' }).click()
  await row.getByRole('button', { name: 'Show less' }).waitFor()

  const refused = await waitForReview(administrator, new RegExp(`Purchase of 5 nodes by ${rejected.email}`))
  await refused.getByRole('button', { name: 'Reject' }).click()
  const rejection = dialog(administrator, `Reject the purchase of 5 nodes by ${rejected.email}?`)
  await rejection.getByLabel('Reason').fill('Paid too little')
  await rejection.getByRole('button', { name: 'Reject' }).click()
  await expectToast(administrator, 'Purchase Rejected')
  await rowOf(administrator, rejected.email).getByText('Failed', { exact: true }).waitFor()

  // The first buyer's payment stays in review and can pay another purchase.
  const payment = await waitForReview(administrator, shorten(rejected.payments.address))
  await payment.getByText(rejected.email).waitFor()
  await payment.getByRole('button', { name: 'Assign' }).click()
  const name = `payment of 1 USDT from ${shorten(rejected.payments.address)}`
  const assignment = dialog(administrator, `Assign the ${name}`)
  await assignment.getByRole('radio', { name: 'Waiting purchase' }).click()
  await assignment.getByLabel('Email of the account').fill(other.email)
  await assignment.getByRole('radio', { name: /^2 nodes for 6 USDT/ }).check()
  await assignment.getByLabel('Note').fill('He paid for her')
  await assignment.getByRole('button', { name: 'Assign' }).click()
  const question = dialog(administrator, `Assign the ${name}?`)
  await question.getByText(`It pays for the purchase of 2 nodes by ${other.email}. This can't be undone.`).waitFor()
  await question.getByRole('button', { name: 'Assign' }).click()
  await question.getByText('Final payments of 1 USDT count for this, but 6 USDT is due.').waitFor()
  await question.getByText(`This payment is recorded as one of another account: ${rejected.email}.`).waitFor()
  await keepPictures(page, 'assignment, objections')
  await question.getByRole('button', { name: 'Assign anyway' }).click()
  await expectToast(administrator, 'Payment Assigned')
  await rowOf(administrator, other.email).getByText('Completed', { exact: true }).waitFor()

  expectRefusals(administrator, 1)

  // On a phone the rows are cards, without horizontal overflow.
  await page.setViewportSize({ width: 390, height: 844 })
  await rowOf(administrator, other.email).getByText('Completed', { exact: true }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})

test('bonuses are granted with the form and, after a preview, to all due; on a phone', async () => {
  const administrator = await openBackOffice('bonus', { viewport: { width: 390, height: 844 } })
  const { page } = administrator
  const buyer = await product.arriveAsMember({ isRich: false })
  const wallet = await openWallet(buyer)
  await wallet.send('60')
  await openTab(administrator, 'purchases')
  await (await waitForReview(administrator, shorten(wallet.address))).getByText('nobody').waitFor()
  await wallet.prove(buyer)
  const payment = await waitForReview(administrator, buyer.email)
  await payment.scrollIntoViewIfNeeded()
  await keepPictures(page, 'payment in review')
  const starts = await payment.locator('dd').evaluateAll((values) => values.map((value) => value.getBoundingClientRect().left))
  expect(new Set(starts).size, 'the values are one column').toBe(1)
  await payment.getByRole('button', { name: 'Assign' }).click()
  const name = `payment of 60 USDT from ${shorten(wallet.address)}`
  const email = dialog(administrator, `Assign the ${name}`).getByLabel('Email of the account')
  expect(await email.inputValue(), 'who has proven the wallet after the payment').toBe(buyer.email)
  await dialog(administrator, `Assign the ${name}`).getByLabel('Note').fill('Paid before signing up')
  await dialog(administrator, `Assign the ${name}`).getByRole('button', { name: 'Assign' }).click()
  await dialog(administrator, `Assign the ${name}?`).getByRole('button', { name: 'Assign' }).click()
  await expectToast(administrator, 'Payment Assigned')

  await page.getByRole('tab', { name: 'Bonus grants' }).click()
  const row = rowOf(administrator, buyer.email, 'Bonus status')
  await row.getByText('Pending', { exact: true }).last().waitFor()

  // With the form.
  await page.getByRole('button', { name: 'Grant bonus' }).click()
  await expectToast(administrator, 'Bonus Not Granted', 'enter a valid user ID and quantity')
  await page.getByLabel('User email').fill('nobody@example.com')
  await page.getByLabel('Quantity').fill('1')
  await page.getByText('No user has this email.').waitFor()
  await page.getByLabel('Reason').fill('A gift')
  await page.getByRole('button', { name: 'Grant bonus' }).click()
  await dialog(administrator, 'Grant 1 bonus node to nobody@example.com?').getByRole('button', { name: 'Grant bonus' }).click()
  await expectToast(administrator, 'Failed to grant bonus.')
  expect(administrator.errors.splice(0)).toEqual([expect.stringContaining('404')])
  await page.getByLabel('User email').fill(buyer.email)
  await page.getByLabel('Quantity').fill('9')
  await page.getByText('This is more than is due. It counts as received.').waitFor()
  await page.getByText('Manual bonus grant').scrollIntoViewIfNeeded()
  await keepPictures(page, 'bonus above due')
  await page.getByLabel('Quantity').fill('1')
  await page.getByRole('button', { name: 'Grant bonus' }).click()
  await dialog(administrator, `Grant 1 bonus node to ${buyer.email}?`).getByRole('button', { name: 'Grant bonus' }).click()
  await expectToast(administrator, 'Bonus Granted', `1 bonus node is granted to ${buyer.email}.`)

  // With "grant all due".
  await page.getByRole('button', { name: 'Grant all due' }).click()
  const preview = dialog(administrator, 'Grant all due bonuses?')
  await preview.getByRole('listitem').filter({ hasText: buyer.email }).getByText('+1', { exact: true }).waitFor()
  await preview.getByText('Remaining supply').waitFor()
  await preview.getByRole('button', { name: /^Grant \d+ bonus nodes?$/ }).click()
  await expectToast(administrator, 'Bonus Granted')
  await row.getByText('Done', { exact: true }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)

  await page.getByRole('button', { name: 'Grant all due' }).click()
  await dialog(administrator, 'Grant all due bonuses?').getByText('No bonus is due.').waitFor()
})
