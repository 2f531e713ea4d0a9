import type { Download } from 'playwright-core'
import { expect, test } from 'vitest'
import { type Person, expectToast, forgetRefusals, useProduct } from './fixtures.ts'
import { findFaults } from './findFaults.ts'
import { keepPictures } from './keepPictures.ts'

const product = useProduct()

const phone = { width: 390, height: 844 }

/** Logs an administrator in to a fresh installation, at a view of the panel. */
async function enterOffice(tab: 'settings' | 'audit' | 'health', viewport?: typeof phone): Promise<Person> {
  await product.setUp()
  return product.openBackOffice({ tab, ...(viewport && { viewport }) })
}

const card = ({ page }: Person, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) })

/** Types into a setting and presses its button. */
async function saveSetting(administrator: Person, title: string, label: string, value: string): Promise<void> {
  await card(administrator, title).getByLabel(label).fill(value)
  await card(administrator, title).getByRole('button', { name: 'Save' }).click()
}

/** Confirms the change that the dialog shows, with a reason where it asks for one. */
async function confirmChange({ page }: Person, reason?: string): Promise<void> {
  if (reason) await page.getByRole('dialog').getByLabel('Reason').fill(reason)
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Change the/ })
    .click()
}

/** Saves a valid value. */
async function changeSetting(administrator: Person, title: string, label: string, value: string): Promise<void> {
  await saveSetting(administrator, title, label, value)
  await confirmChange(administrator, 'Decided in the weekly meeting')
}

const valueOf = (administrator: Person, label: string) => () => administrator.page.getByLabel(label).inputValue()

async function readSetting({ context }: Person, key: string): Promise<string | undefined> {
  const settings = (await (await context.request.get('/api/system-settings')).json()) as { key: string; value: string }[]
  return settings.find((setting) => setting.key === key)?.value
}

async function expectFit({ page }: Person): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
}

test('an administrator changes every setting; visitors and another administrator see it at once', async () => {
  const administrator = await enterOffice('settings')
  const other = await enterOffice('settings')
  const visitor = await product.arrive()
  await visitor.page.goto('/purchase')
  const { page } = administrator

  // Sales off and on again.
  await page.getByRole('switch', { name: 'Sales enabled' }).click()
  await page.getByRole('dialog', { name: 'Stop the sale of nodes?' }).getByRole('button', { name: 'Stop sales' }).click()
  await expectToast(administrator, 'System Settings Updated', 'Sales are off.')
  await visitor.page.getByRole('banner').getByRole('button', { name: 'Sales Disabled' }).waitFor()
  await card(other, 'Sales control').getByText('Off', { exact: true }).waitFor()
  await page.getByRole('switch', { name: 'Sales enabled' }).click()
  await page.getByRole('dialog', { name: 'Start the sale of nodes?' }).getByRole('button', { name: 'Start sales' }).click()
  await visitor.page.getByRole('banner').getByRole('button', { name: 'Connect Wallet' }).waitFor()

  // Sets a future start and clears it.
  const start = card(administrator, 'Sales start date and time')
  await start.getByLabel('Hour').selectOption('18')
  await start.getByRole('button', { name: 'Save' }).click()
  await expectToast(administrator, 'Date Required', 'Please choose a date.')
  await start.getByLabel('Date (UTC)').fill('2099-12-24')
  await start.getByLabel('Minute').selectOption('15')
  await start.getByRole('button', { name: 'Save' }).click()
  await confirmChange(administrator)
  await expectToast(administrator, 'System Settings Updated', 'Sales start on 24 Dec 2099, 18:15 UTC.')
  await expect.poll(() => readSetting(administrator, 'sales_start_date')).toBe('2099-12-24T18:15:00.000Z')
  await expect.poll(() => card(other, 'Sales start date and time').getByLabel('Date (UTC)').inputValue()).toBe('2099-12-24')
  await start.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Clear the start' }).click()
  await start.getByText('Not set').waitFor()
  await expect.poll(() => readSetting(administrator, 'sales_start_date')).toBe('')

  // The price.
  await saveSetting(administrator, 'Node price', 'Price of one node (USDT)', '0')
  await expectToast(administrator, 'Invalid Price', 'The node price must be a USDT amount above 0.')
  await changeSetting(administrator, 'Node price', 'Price of one node (USDT)', '3.5')
  await expectToast(administrator, 'System Settings Updated', 'A node costs 3.5 USDT.')
  await expect.poll(valueOf(other, 'Price of one node (USDT)')).toBe('3.5')
  await visitor.page.getByText('3.5', { exact: false }).first().waitFor()

  // The notice.
  await page.getByRole('switch', { name: 'Show the notice' }).click()
  await expectToast(administrator, 'System Settings Updated', 'The server notice is shown.')
  await card(other, 'Server notice popup').getByText('Shown', { exact: true }).waitFor()
  await page.getByRole('switch', { name: 'Show the notice' }).click()
  await card(other, 'Server notice popup').getByText('Not shown', { exact: true }).waitFor()

  // The fee and its recipient.
  await saveSetting(administrator, 'Withdrawal fee', 'Fixed fee (XCR)', '-1')
  await expectToast(administrator, 'Invalid Fee', 'The fee must be an XCR amount of 0 or more.')
  await changeSetting(administrator, 'Withdrawal fee', 'Fixed fee (XCR)', '7.000000000000000001')
  await expectToast(administrator, 'System Settings Updated', 'A withdrawal costs 7.000000000000000001 XCR.')
  await expect.poll(valueOf(other, 'Fixed fee (XCR)')).toBe('7.000000000000000001')
  const recipient = `0x${'8f'.repeat(20)}`
  await saveSetting(administrator, 'Fee recipient address', 'Wallet address', '0x12')
  await expectToast(administrator, 'Invalid Address', 'Please enter a valid Ethereum wallet address.')
  await changeSetting(administrator, 'Fee recipient address', 'Wallet address', recipient.toUpperCase().replace('X', 'x'))
  await expectToast(administrator, 'System Settings Updated', `Fees are sent to ${recipient}.`)
  await changeSetting(administrator, 'Fee recipient address', 'Wallet address', '')
  await expectToast(administrator, 'System Settings Updated', 'Fees stay in the payout wallet.')

  // The daily reward, from the next payout on.
  await page.getByLabel('New rate (XCR per node per day)').fill('12.5')
  await page.getByRole('button', { name: 'Schedule rate' }).click()
  await confirmChange(administrator, 'Decided in the weekly meeting')
  await expectToast(administrator, 'Daily Reward Scheduled')
  const planned = (one: Person) => one.page.getByRole('listitem').filter({ hasText: '12.5' }).filter({ hasText: 'Planned' })
  await planned(administrator).getByText('set by root').waitFor()
  await planned(other).waitFor()
})

test('the audit log shows who changed what; it is filtered, exported, and reopened after a login', async () => {
  const administrator = await enterOffice('settings')
  const { page, context } = administrator
  await changeSetting(administrator, 'Node price', 'Price of one node (USDT)', '4')
  await expectToast(administrator, 'System Settings Updated')
  await page.getByRole('link', { name: 'Audit' }).click()

  await page.getByLabel('Action').selectOption('settings.change')
  await page.keyboard.press('Escape')
  await page.getByLabel('Who').fill('root')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/admin-panel?tab=audit&action=settings.change&actor=root')
  const row = page.getByRole('row').filter({ hasText: 'node_price_usdt' }).filter({ hasText: '→ 4' }).first()
  await row.getByText('127.0.0.1').waitFor()
  await row.getByText('administrator', { exact: true }).waitFor()

  // The new tab closes once the browser recognizes a download.
  const download = new Promise<Download>((resolve) => context.once('download', resolve))
  await page.getByRole('link', { name: 'Excel download' }).click()
  expect((await download).suggestedFilename()).toMatch(/^audit-.*\.xlsx$/)

  await page.getByLabel('Who').fill('nobody at all')
  await page.keyboard.press('Enter')
  await page.getByText('No entry matches this filter.').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('row').nth(1).waitFor()

  // The session ends; the login leads back to the same view.
  await page.goto('/admin-panel?tab=audit&action=settings.change')
  await row.waitFor()
  await context.clearCookies()
  await Promise.all([
    // The redirect ends it after half a second.
    expectToast(administrator, 'Unauthorized – you are logged out, logging in again'),
    page.getByRole('button', { name: 'Refresh the audit log' }).click(),
  ])
  await page.waitForURL('**/admin1')
  await page.getByLabel('Username').fill('root')
  await page.getByLabel('Password', { exact: true }).fill('administrator')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/admin-panel?tab=audit&action=settings.change')
  await row.waitFor()
  forgetRefusals(administrator, 401)
})

test("the installation's health is shown and refreshed", async () => {
  const administrator = await enterOffice('health')
  const { page } = administrator
  const checks = page.getByRole('list', { name: 'Checks' }).getByRole('listitem')
  await checks.filter({ hasText: 'Deposit watcher' }).getByText('OK').waitFor()
  expect(await checks.count()).toBeGreaterThan(10)
  const readAt = () =>
    page
      .getByText(/Checked at/)
      .locator('time')
      .getAttribute('datetime')
  const before = await readAt()
  await page.getByRole('button', { name: 'Refresh', exact: true }).click()
  await expect.poll(readAt).not.toBe(before)
})

test('everybody reads an incident on the status page until it is resolved, and after', async () => {
  const administrator = await enterOffice('health')
  const office = administrator.page
  const { page } = await product.arrive()
  await page.goto('/status')
  await page.getByText('None in the last 90 days.').waitFor()

  await office.getByRole('button', { name: 'Report an incident' }).click()
  await office.getByLabel('Title in English').fill('Mails arrive late')
  await office.getByLabel('Text in English').fill('Codes take some minutes.')
  await keepPictures(office, 'incident dialog')
  await office.getByRole('button', { name: 'Report', exact: true }).click()
  // The open page is told, and does not wait for its next read.
  await page.getByRole('heading', { name: 'Mails arrive late' }).waitFor()
  await page.getByText('Ongoing').waitFor()
  await keepPictures(office, 'incident card')

  await office.getByRole('button', { name: 'Resolve “Mails arrive late”' }).click()
  await office.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click()
  await page.getByText('Resolved', { exact: true }).waitFor()
})

test('on a phone settings, audit log and health fit and work by touch', async () => {
  const administrator = await enterOffice('settings', phone)
  const { page } = administrator
  await changeSetting(administrator, 'Withdrawal fee', 'Fixed fee (XCR)', '6')
  await expectToast(administrator, 'System Settings Updated', 'A withdrawal costs 6 XCR.')
  await page.getByRole('switch', { name: 'Sales enabled' }).click()
  await page.getByRole('dialog', { name: 'Stop the sale of nodes?' }).getByRole('button', { name: 'Cancel' }).click()
  await expectFit(administrator)

  await page.getByRole('link', { name: 'Audit' }).click()
  await page.getByRole('row').filter({ hasText: 'withdrawal_fee_amount' }).filter({ hasText: '→ 6' }).waitFor()
  await expectFit(administrator)
  await page.getByRole('link', { name: 'Health' }).click()
  await page.getByRole('list', { name: 'Checks' }).waitFor()
  await expectFit(administrator)
})

test("an administrator's message reaches the inbox of an account", async () => {
  const administrator = await enterOffice('settings')
  const holder = await product.arriveAsMember({ isRich: false })
  const message = card(administrator, 'Message to all users')
  await message.getByLabel('Title in English').fill('Maintenance on Sunday')
  await message.getByLabel('Text in English').fill('From 02:00 to 03:00 UTC nothing can be bought. Rewards are paid as usual.')
  await message.getByLabel('Title in Korean').fill('일요일 점검')
  await message.getByLabel('Text in Korean').fill('02:00부터 03:00(UTC)까지 구매할 수 없습니다. 보상은 평소처럼 지급됩니다.')
  await message.getByText('Title in Korean').scrollIntoViewIfNeeded()
  await keepPictures(administrator.page, 'announcement')
  await message.getByRole('button', { name: 'Send to all users' }).click()
  await administrator.page.getByRole('dialog', { name: 'Send the message to 1 account?' }).waitFor()
  await keepPictures(administrator.page, 'announcement asked')
  await administrator.page.getByRole('dialog').getByRole('button', { name: 'Send to all users' }).click()
  await expectToast(administrator, 'Message Sent')

  await holder.page.goto('/inbox')
  await holder.page.getByText('Message from XCR Nodes').click()
  await holder.page.getByText('From 02:00 to 03:00 UTC nothing can be bought.', { exact: false }).waitFor()
  await keepPictures(holder.page, 'inbox news')

  // The same account has lost its authenticator. There is one owner.
  await administrator.page.goto('/admin-panel?tab=users')
  await administrator.page.getByRole('table', { name: 'Users' }).getByRole('link', { name: holder.email }).click()
  await administrator.page.getByRole('button', { name: 'Remove authenticator' }).click()
  await administrator.page.getByText('You are the only owner, so it is removed in 24 hours.', { exact: false }).waitFor()
  expect(await findFaults(administrator.page, 'removing an authenticator')).toEqual([])
  await keepPictures(administrator.page, 'authenticator-removal')
})

test('an owner invites a colleague, who joins from the mail, and becomes the second owner, who approves', async () => {
  const owner = await enterOffice('settings')
  const email = 'dora@example.com'
  await card(owner, 'Administrators').getByRole('button', { name: 'Invite an administrator' }).click()
  const invitation = owner.page.getByRole('dialog', { name: 'Invite an administrator' })
  await invitation.getByLabel('Email').fill(email)
  await invitation.getByLabel('Role').selectOption('Finance')
  await invitation.getByLabel('Your password', { exact: true }).fill('administrator')
  await keepPictures(owner.page, 'invite-administrator')
  await invitation.getByRole('button', { name: 'Send invitation' }).click()
  await expectToast(owner, 'Invitation Sent')
  await card(owner, 'Administrators').getByText('dora@example.com').waitFor()

  const colleague = await product.arrive()
  const { page } = colleague
  await page.goto(await product.mailbox.readLink(email, /http\S+\/admin1#invitation=[\w-]+/))
  await page.getByRole('heading', { name: 'Join the back office' }).waitFor()
  await page.waitForURL(({ hash }) => hash === '')
  await keepPictures(page, 'join-back-office')
  await page.getByLabel('Username').fill('dora')
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await expectToast(colleague, 'You Have Joined', 'Log in as dora.')
  await page.getByLabel('Username').fill('dora')
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'admin dashboard' }).waitFor()
  await page.goto('/admin-panel?tab=settings')
  await page.getByText('Only owners change the settings').waitFor()
  expect(await page.getByRole('switch', { name: 'Sales enabled' }).isDisabled()).toBe(true)
  await keepPictures(page, 'settings-of-finance')

  await owner.page.reload()
  await card(owner, 'Administrators').getByText('Finance · dora@example.com').waitFor()
  await card(owner, 'Administrators').scrollIntoViewIfNeeded()
  await keepPictures(owner.page, 'administrators')
  await card(owner, 'Administrators').getByRole('button', { name: 'Change role of dora' }).click()
  const role = owner.page.getByRole('dialog', { name: 'Change the role of dora' })
  await role.getByLabel('Role').selectOption('Owner')
  await role.getByLabel('Your password', { exact: true }).fill('administrator')
  await role.getByRole('button', { name: 'Change role' }).click()
  await expectToast(owner, 'Role Changed')

  const waits = 'Proposed. Another administrator has to approve it within 24 hours.'
  const price = await readSetting(owner, 'node_price_usdt')
  await changeSetting(owner, 'Node price', 'Price of one node (USDT)', '7.25')
  await expectToast(owner, 'Nothing has changed yet', waits)
  expect(await readSetting(owner, 'node_price_usdt')).toBe(price)
  await card(owner, 'Node price').getByText(`${price} USDT → 7.25 USDT`).waitFor()
  expect(await findFaults(owner.page, 'proposed price')).toEqual([])
  await card(owner, 'Node price').scrollIntoViewIfNeeded()
  await keepPictures(owner.page, 'proposed-price')
  await card(owner, 'Node price').getByRole('link', { name: 'See the proposal' }).click()
  await owner.page.getByRole('button', { name: 'Withdraw proposal' }).waitFor()

  await page.goto('/admin-panel')
  await page.getByRole('link', { name: '1 proposal to approve' }).click()
  await page.getByText('Change the node price').waitFor()
  await keepPictures(page, 'proposals')
  await page.getByRole('button', { name: 'Approve proposal' }).click()
  const approval = page.getByRole('dialog', { name: 'Change the node price' })
  await approval.getByLabel('Your password', { exact: true }).fill('correct horse battery')
  await keepPictures(page, 'approve-proposal')
  await approval.getByRole('button', { name: 'Approve proposal' }).click()
  await expectToast(colleague, 'Proposal approved')
  await expect.poll(() => readSetting(owner, 'node_price_usdt')).toBe('7.25')
  await owner.page.getByText('Approved and done').waitFor()

  await owner.page.goto('/admin-panel?tab=settings')
  await card(owner, 'Administrators').getByRole('button', { name: 'Remove dora' }).click()
  const removal = owner.page.getByRole('dialog', { name: 'Remove dora?' })
  await removal.getByLabel('Your password', { exact: true }).fill('administrator')
  await removal.getByLabel('Reason').fill('Has left')
  await removal.getByRole('button', { name: 'Remove administrator' }).click()
  await expectToast(owner, 'Nothing has changed yet', waits)
  await page.getByText('Remove an administrator').waitFor()
  await page.getByRole('button', { name: 'Approve proposal' }).click()
  const own = page.getByRole('dialog', { name: 'Remove an administrator' })
  await own.getByLabel('Your password', { exact: true }).fill('correct horse battery')
  await own.getByRole('button', { name: 'Approve proposal' }).click()
  await own.waitFor({ state: 'detached' })
  await owner.page.reload()
  await card(owner, 'Administrators').getByText('There is one owner').waitFor()
  // The session ended with the approval: the page leaves by itself.
  await page.waitForURL('**/admin1')
  forgetRefusals(colleague, 401)
})
