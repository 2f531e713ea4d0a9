import { expect, test } from 'vitest'
import { keepPictures } from './keepPictures.ts'
import { type Person, expectToast, useProduct } from './fixtures.ts'

/** Mina's withdrawals need a review; sora's exist beside them. */
const product = useProduct({ isFilled: true, env: { PAYOUT_REVIEW_ABOVE: '3500' } })

const TIMEOUT = 60_000
const hash = `0x${'ab'.repeat(32)}`

/** The text of each cell of each row below the header. */
const readRows = ({ page }: Person, table: string): Promise<string[][]> =>
  page
    .getByRole('table', { name: table, exact: true })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
    .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')))

const expectRows = (person: Person, table: string, count: number) =>
  expect.poll(async () => (await readRows(person, table)).length, { timeout: TIMEOUT }).toBe(count)

/** The first word of the state of a user's withdrawals, newest first. */
const readStates = async (person: Person, email: string) =>
  (await readRows(person, 'Withdrawals'))
    .filter(([who]) => who?.startsWith(email))
    .map(([, , , state]) => /^\S+ (Completed|Pending|Processing|Failed|In review|On hold)/.exec(state!)![1])

const expectNoOverflow = ({ page }: Person) =>
  expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)

const figure = ({ page }: Person, title: string) =>
  page
    .getByRole('region', { name: 'Figures' })
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: title }) })

/** What a refused call logs in the browser. */
const forgetRefusals = ({ errors }: Person, ...statuses: number[]) =>
  expect(errors.splice(0)).toEqual(statuses.map((status) => expect.stringContaining(`status of ${status}`)))

test('an administrator sees the sales, starts and resets vesting, and opens the charts', async () => {
  const administrator = await product.openBackOffice()
  const { page } = administrator
  await expect.poll(() => figure(administrator, 'Total users').textContent(), { timeout: TIMEOUT }).toBe('Total users4')
  expect(await figure(administrator, 'Total nodes').textContent()).toBe('Total nodes320300 sold, 20 bonus given')
  expect(await figure(administrator, 'Total revenue').textContent()).toBe('Total revenue900 USDT')
  expect(await figure(administrator, 'Vesting start date').textContent()).toContain('Not started')

  const { productTime } = (await (await page.request.get('/api/config')).json()) as { productTime: string }
  await page.getByRole('button', { name: 'Start vesting' }).click()
  await page.getByRole('dialog', { name: 'Start vesting now?' }).getByRole('button', { name: 'Start vesting' }).click()
  await expectToast(administrator, 'Vesting Started')
  const day = String(new Date(productTime).getUTCDate()).padStart(2, '0')
  await page.getByText(`Matures ${day} `, { exact: false }).waitFor()
  await figure(administrator, 'Vesting start date')
    .getByText(String(new Date(productTime).getUTCFullYear() + 5))
    .waitFor()

  // Another administrator's page is not updated yet.
  const other = await product.openBackOffice()
  await other.page.getByRole('button', { name: 'Reset vesting' }).waitFor()
  await page.getByRole('button', { name: 'Reset vesting' }).click()
  await page.getByLabel('Reason').fill('Started too early')
  await page.getByRole('dialog').getByRole('button', { name: 'Reset vesting' }).click()
  await expectToast(administrator, 'Vesting Reset')
  await figure(administrator, 'Vesting start date').getByText('Not started').waitFor()
  await other.page.getByRole('button', { name: 'Reset vesting' }).click()
  await other.page.getByLabel('Reason').fill('Started too early')
  await other.page.getByRole('dialog').getByRole('button', { name: 'Reset vesting' }).click()
  await expectToast(other, 'Vesting reset failed')
  await figure(other, 'Vesting start date').getByText('Not started').waitFor()
  forgetRefusals(other, 409)

  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByText('320 of 20,000 · 1.6%').waitFor()
  const sold = page.getByRole('figure').filter({ hasText: 'Nodes sold per day' })
  await sold.locator('figcaption').getByText('300 nodes').waitFor()
  expect(await sold.getByRole('row').count()).toBe(31)
  await page.getByRole('radio', { name: '365 days' }).click()
  await expect.poll(() => sold.getByRole('row').count(), { timeout: TIMEOUT }).toBe(366)
})

test('an administrator finds users, opens their XCR details, and resets a password', async () => {
  const administrator = await product.openBackOffice()
  const { page, context } = administrator
  await expectRows(administrator, 'Users', 4)
  expect(await page.getByRole('button', { name: 'Search' }).isDisabled()).toBe(true)

  // The search of the whole panel.
  await page.keyboard.press('/')
  await page.keyboard.type('1')
  await page.keyboard.press('Enter')
  const found = page.getByRole('list', { name: 'Found' })
  await found.getByRole('link', { name: /^Node 1 mina@example\.com/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.type('example')
  await page.keyboard.press('Enter')
  await found.getByRole('link', { name: 'sora@example.com' }).waitFor()
  await keepPictures(page, 'panel, found')
  await page.keyboard.press('Escape')
  await found.waitFor({ state: 'detached' })

  await page.getByLabel('Search by email').focus()
  await page.keyboard.type('LEON')
  await page.keyboard.press('Enter')
  await expectRows(administrator, 'Users', 1)
  expect((await readRows(administrator, 'Users'))[0]!.slice(0, 6)).toEqual([
    'leon@example.com',
    expect.stringMatching(/^0x.{4}\.\.\..{4}$/),
    '0',
    '0.00',
    '0.00',
    'GENERAL',
  ])
  await page.reload()
  await expectRows(administrator, 'Users', 1)
  await page.getByLabel('Search by email').fill('nobody')
  await page.keyboard.press('Enter')
  await page.getByText('No user’s email contains “nobody”.').waitFor()
  await page.getByRole('button', { name: 'Clear search' }).click()
  await expectRows(administrator, 'Users', 4)

  await page.getByRole('button', { name: 'XCR details of sora@example.com' }).click()
  const details = page.getByRole('dialog', { name: 'XCR details' })
  await details.getByText('95', { exact: true }).waitFor()
  await details.getByText('No completed withdrawals.').waitFor()
  await page.keyboard.press('Escape')

  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Reset password of leon@example.com' }).click()
  await page
    .getByRole('dialog', { name: 'Reset the password of leon@example.com?' })
    .getByRole('button', { name: 'Reset password' })
    .click()
  const result = page.getByRole('dialog', { name: 'Password reset' })
  await result.getByRole('button', { name: 'Copy' }).click()
  await result.getByRole('button', { name: 'Copied' }).waitFor()
  await expectToast(administrator, 'Copy Complete')
  const password = await page.evaluate(() => navigator.clipboard.readText())
  expect(password).toBe(await result.getByRole('status').textContent())
  await result.getByRole('button', { name: 'Copy', exact: true }).waitFor()
  await result.getByRole('button', { name: 'Done' }).click()

  const leon = await product.arrive()
  const logIn = (data: object) => leon.context.request.post('/api/login', { data })
  expect((await logIn({ email: 'leon@example.com', password: 'Demo-Holder-1!' })).status()).toBe(400)
  expect((await logIn({ email: 'leon@example.com', password })).status()).toBe(200)
})

test('an administrator decides on withdrawals; a second one is told', async () => {
  const administrator = await product.openBackOffice({ tab: 'withdrawals' })
  const { page } = administrator
  await expectRows(administrator, 'Withdrawals', 3)
  expect(await readStates(administrator, 'mina@example.com')).toEqual(['In review'])
  expect(await readStates(administrator, 'sora@example.com')).toEqual(['On hold', 'Failed'])
  const [newest] = await readRows(administrator, 'Withdrawals')
  expect(newest).toEqual([
    expect.stringMatching(/^sora@example\.com[0-9a-f]{8}$/),
    '3,200',
    expect.stringMatching(/^0x.{4}\.\.\..{4}$/),
    expect.stringMatching(/^보류중 On holdUntil \d\d \w{3} \d{4}, \d\d:\d\d UTCReleased automatically$/),
    expect.stringMatching(/^\d{4}\. \d+\. \d+\. (오전|오후) \d+:\d\d:\d\d$/),
    '–',
    'ApproveRejectMark paid',
  ])
  await page.getByRole('table', { name: 'Withdrawals' }).getByText('실패').first().hover()
  await page.getByRole('tooltip').getByText('failed', { exact: true }).waitFor()

  // The strip leads to the rows that wait.
  const todo = page.getByRole('region', { name: 'To do' })
  await todo.getByRole('link', { name: '1 withdrawal to decide' }).click()
  await expectRows(administrator, 'Withdrawals', 1)
  expect(await readStates(administrator, 'mina@example.com')).toEqual(['In review'])
  await keepPictures(page, 'panel, only waiting')
  await page.getByRole('combobox', { name: 'Status' }).selectOption('')
  await expectRows(administrator, 'Withdrawals', 3)

  // Pending and completed withdrawals count, failed ones do not.
  await page.getByRole('tab', { name: 'Total' }).click()
  await page.getByText('Cumulative amount, all users').locator('xpath=ancestor::dl').getByText('7,200').waitFor()

  await page.getByLabel('Search by email').fill('sora')
  await page.getByRole('button', { name: 'Search' }).click()
  await expectRows(administrator, 'Withdrawals', 2)
  const file = await page.request.get((await page.getByRole('link', { name: 'Download all' }).getAttribute('href'))!)
  expect((await file.body()).subarray(0, 2).toString()).toBe('PK')
  const opened = administrator.context.waitForEvent('page')
  await page.getByRole('link', { name: 'Download all' }).click()
  await opened
  await page.getByRole('button', { name: 'Clear' }).click()
  await expectRows(administrator, 'Withdrawals', 3)

  // A hash of a transfer that does not exist is refused.
  await page.getByRole('button', { name: 'Mark paid: withdrawal of sora@example.com' }).click()
  await page.getByLabel('Transaction hash').fill('0x12')
  await page.getByRole('button', { name: 'Mark as paid' }).click()
  await page.getByText('not a valid transaction hash format, 0x + 64 characters').waitFor()
  await page.getByLabel('Transaction hash').fill(hash)
  await page.getByRole('dialog').getByLabel('Reason').fill('Paid by hand')
  await page.getByRole('button', { name: 'Mark as paid' }).click()
  await expectToast(administrator, 'Failed to mark withdrawal as paid')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  forgetRefusals(administrator, 409)

  await page.getByRole('button', { name: 'Approve the withdrawal of sora@example.com' }).click()
  await page.getByRole('dialog', { name: 'Approve 3,200 XCR of sora@example.com?' }).getByLabel('Reason').fill('Known to us.')
  await page.getByRole('dialog').getByRole('note').filter({ hasText: 'On hold until' }).waitFor()
  await keepPictures(page, 'withdrawal on hold')
  await page.getByRole('button', { name: 'Approve withdrawal' }).click()
  await expectToast(administrator, 'Withdrawal Approved')
  // By the event stream.
  await todo.getByRole('link', { name: 'on hold' }).waitFor({ state: 'detached' })
  await expect
    .poll(
      async () => {
        await page.getByRole('button', { name: 'Refresh withdrawals' }).click()
        return (await readStates(administrator, 'sora@example.com'))[0]
      },
      { timeout: TIMEOUT, interval: 250 },
    )
    .toBe('Completed')
  expect(await page.getByRole('link', { name: /^0x\w{6} in the block explorer$/ }).getAttribute('target')).toBe('_blank')

  const other = await product.openBackOffice({ tab: 'withdrawals' })
  for (const { page } of [administrator, other]) {
    await page.getByRole('button', { name: 'Reject the withdrawal of mina@example.com' }).click()
    await page.getByLabel('Reason').fill('Asked to.')
  }
  await page.getByRole('button', { name: 'Reject withdrawal' }).click()
  await expectToast(administrator, 'Withdrawal Rejected')
  await other.page.getByRole('button', { name: 'Reject withdrawal' }).click()
  await expectToast(other, 'Already decided')
  await other.page.getByRole('button', { name: 'Reject the withdrawal of mina@example.com' }).waitFor({ state: 'detached' })
  forgetRefusals(other, 409)
})

test('the panel is one column on a phone, without horizontal overflow', async () => {
  const administrator = await product.openBackOffice({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  const { page } = administrator
  await expectRows(administrator, 'Users', 4)
  // Waits for animations to end.
  await figure(administrator, 'Total users').waitFor()
  await page.getByRole('link', { name: 'Overview' }).tap()
  await page.getByRole('figure').first().waitFor()
  await expectNoOverflow(administrator)
  await page.getByRole('tab', { name: 'Users management' }).tap()
  await page.getByRole('button', { name: 'XCR details of mina@example.com' }).tap()
  await page.getByRole('dialog', { name: 'XCR details' }).getByText('185', { exact: true }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().tap()
  await page.getByRole('button', { name: 'Reset password of mina@example.com' }).tap()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).tap()

  await page.getByRole('tab', { name: 'Reward-token withdrawals' }).tap()
  await expectRows(administrator, 'Withdrawals', 3)
  await expectNoOverflow(administrator)
})
