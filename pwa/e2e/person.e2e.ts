import { expect, test } from 'vitest'
import { findFaults, findNarrowFaults } from './findFaults.ts'
import { expectToast, type Person, useProduct } from './fixtures.ts'
import { keepPictures } from './keepPictures.ts'

const product = useProduct({ isFilled: true, env: { PAYOUT_REVIEW_ABOVE: '3500' } })

const rowsOf = ({ page }: Person, table: string) =>
  page
    .getByRole('table', { name: table, exact: true })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })

const openPart = async ({ page }: Person, name: string, heading: string) => {
  await page.getByRole('tab', { name, exact: true }).click()
  await page.getByRole('heading', { name: new RegExp(`^${heading}`) }).waitFor()
}

/** What a refused call logs in the browser. */
const forgetRefusals = ({ errors }: Person, ...statuses: number[]) =>
  expect(errors.splice(0)).toEqual(statuses.map((status) => expect.stringContaining(`status of ${status}`)))

test('an administrator sees everything about one person on a page, which is accessible and recorded', async () => {
  const administrator = await product.openBackOffice()
  const { page } = administrator
  await page.getByRole('table', { name: 'Users' }).getByRole('link', { name: 'mina@example.com' }).click()
  await page.waitForURL(/\/admin-panel\/users\/[0-9a-f-]{36}$/)
  await page.getByRole('heading', { level: 1, name: 'mina@example.com' }).waitFor()
  await page.getByRole('heading', { name: /^Wallets over time/ }).waitFor()
  await rowsOf(administrator, 'Wallets over time').first().getByText('Present wallet').waitFor()
  const id = new URL(page.url()).pathname.split('/')[3]!

  const faults: string[] = []
  const look = async (place: string) => {
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
    // The top bar would cover rows in part.
    await page.evaluate(() => window.scrollTo(0, 0))
    faults.push(...(await findFaults(page, place)))
    faults.push(...(await findNarrowFaults(page, `person, ${place}`)))
  }
  await look('overview')
  await page.getByRole('button', { name: `…${id.slice(-8)}, show the full ID` }).click()
  await page.getByRole('button', { name: 'Copy user ID' }).waitFor()

  await page.getByLabel('New note').fill('Called on Monday: the bank asks for a receipt.')
  await page.getByRole('button', { name: 'Save note' }).click()
  await expectToast(administrator, 'Note Saved')
  await page.getByRole('list', { name: 'Notes of administrators' }).getByText('Called on Monday').waitFor()
  await look('with a note')

  await openPart(administrator, 'Purchases and nodes', 'Nodes')
  await rowsOf(administrator, 'Purchases').first().waitFor()
  await rowsOf(administrator, 'Payments').first().waitFor()
  await expect.poll(() => rowsOf(administrator, 'Nodes').count()).toBe(10)
  const pages = page.getByRole('navigation', { name: 'Pages of nodes' })
  await pages.getByRole('button', { name: 'Next' }).click()
  await pages.getByText(/Page 2 of/).waitFor()
  await look('purchases')

  await openPart(administrator, 'Withdrawals and rewards', 'Rewards')
  await rowsOf(administrator, 'Withdrawals').first().getByText('In review').waitFor()
  await rowsOf(administrator, 'Rewards').first().waitFor()
  await look('withdrawals')

  await openPart(administrator, 'Messages', 'Inbox')
  await rowsOf(administrator, 'Inbox').first().waitFor()
  await look('messages')

  await openPart(administrator, 'Audit', 'Audit')
  await page.reload()
  const entries = rowsOf(administrator, 'Audit')
  await entries.filter({ hasText: 'user.note' }).filter({ hasText: 'the bank asks for a receipt' }).waitFor()
  expect(await entries.filter({ hasText: 'user.view' }).count()).toBe(1)
  await look('audit')

  await page.goto('/admin-panel/users/mina')
  await page.getByText('This address contains no user ID.').waitFor()
  await look('malformed')
  await page.goto('/admin-panel/users/01936b2a-7c00-7000-8000-000000000001')
  await page.getByText('No user has this ID.').waitFor()
  forgetRefusals(administrator, 404)
  expect(faults).toEqual([])
})

test('a refused grant keeps what was typed, whether its toast is closed or a press lands beside the dialog', async () => {
  const administrator = await product.openBackOffice()
  const { page } = administrator
  await page.keyboard.press('/')
  await page.keyboard.type('leon@example.com')
  await page.keyboard.press('Enter')
  await page.getByRole('list', { name: 'Found' }).getByRole('link').first().click()
  await page.getByRole('button', { name: 'Grant bonus' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Quantity').fill('19999')
  await dialog.getByLabel('Reason').fill('Promised by mail.')
  await page.getByRole('dialog').getByText('This is more than is due.').waitFor()
  await keepPictures(page, 'person, bonus')
  await dialog.getByRole('button', { name: 'Grant bonus' }).click()
  await expectToast(administrator, 'Failed to grant bonus.')
  forgetRefusals(administrator, 409)

  await page.getByRole('button', { name: 'Close notification' }).click()
  await page.getByRole('alert').filter({ hasText: 'Failed to grant bonus.' }).first().waitFor()
  await page.mouse.click(20, 400)
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('Promised by mail.')

  await dialog.getByLabel('Quantity').fill('1')
  await dialog.getByRole('button', { name: 'Grant bonus' }).click()
  await expectToast(administrator, 'Bonus Granted')
  await page.getByRole('region', { name: 'Figures' }).getByText('1 bonus').waitFor()
})

test('a purchase confirmed despite an objection is named as that', async () => {
  const administrator = await product.openBackOffice()
  const { page } = administrator
  const { purchases } = (await (await page.request.get('/api/admin/purchases?status=pending')).json()) as {
    purchases: { id: string; user: { email: string } }[]
  }
  const { id, user } = purchases[0]!
  const confirmed = await page.request.post(`/api/admin/purchase/${id}/manual-confirm`, {
    data: {
      transactionHash: `0x${'ab'.repeat(32)}`,
      overridden: [{ code: 'transaction_not_found', facts: {} }],
      notes: 'Paid in person.',
    },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
  expect(confirmed.status()).toBe(200)

  await page.goto(`/admin-panel?tab=users&email=${user.email}`)
  await page.getByRole('table', { name: 'Users' }).getByRole('link', { name: user.email }).click()
  await openPart(administrator, 'Purchases and nodes', 'Purchases')
  const row = rowsOf(administrator, 'Purchases').filter({ hasText: id.slice(0, 8) })
  await row.getByText('Despite an objection').waitFor()
  await row.getByText('No matching payment').waitFor()
  expect(await row.getByText('Normal').count()).toBe(0)
  await row.scrollIntoViewIfNeeded()
  await keepPictures(page, 'person, despite an objection')
  await page.goto('/admin-panel?tab=purchases')
  await rowsOf(administrator, 'Purchases')
    .filter({ hasText: id.slice(0, 8) })
    .getByText('Despite an objection')
    .waitFor()
})

test('a logout that the server did not hear is said, and ends the session before the back office opens again', async () => {
  const administrator = await product.openBackOffice()
  const { page } = administrator
  await page.route('**/api/admin/logout', (route) => route.abort())
  await page.getByRole('button', { name: 'Admin Logout' }).click()
  await expectToast(administrator, 'Logout Not Confirmed')
  await page.waitForURL('**/admin1')
  expect((await page.request.get('/api/admin/auth/user')).status(), 'the session is still open').toBe(200)

  await page.unroute('**/api/admin/logout')
  await page.goto('/admin-panel')
  await page.waitForURL('**/admin1')
  expect((await page.request.get('/api/admin/auth/user')).status()).toBe(401)
  // The browser logs the logout that it could not send, sooner or later.
  const others = administrator.errors.splice(0).filter((error) => !error.includes('/api/admin/logout'))
  expect(others).toEqual([])
})
