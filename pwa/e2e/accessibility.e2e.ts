import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { findFaults, findNarrowFaults, findLargeTextFaults, findTinyFaults } from './findFaults.ts'
import { connectWallet, type Person, reserveNodes, typeCode, useProduct } from './fixtures.ts'

/** Mina's withdrawals need a review. */
const product = useProduct({
  isFilled: true,
  env: {
    PAYOUT_REVIEW_ABOVE: '3500',
    SELLER_NAME: 'Example Nodes Ltd',
    SELLER_ADDRESS: '1 Example Street, 04524 Seoul, Republic of Korea',
    TERMS_URL: 'https://example.com/terms',
    PRIVACY_URL: 'https://example.com/privacy',
    REFUNDS_URL: 'https://example.com/refunds',
    RISK_URL: 'https://example.com/risk',
  },
})

const TIMEOUT = 60_000
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/** Checks the current page on every kind of screen. */
const look = async ({ page }: Person, name: string) => [
  ...(await findFaults(page, name)),
  ...(await findNarrowFaults(page, name)),
]

/** Checks each page once it shows the given text. */
async function checkPages(person: Person, places: Record<string, string | RegExp>): Promise<string[]> {
  const faults = []
  for (const [place, text] of Object.entries(places)) {
    await person.page.goto(place)
    await person.page.getByText(text).first().waitFor()
    faults.push(...(await look(person, place)))
  }
  return faults
}

/** Opens a dialog by keyboard, checks it, closes it by keyboard, and checks the focus during and after. */
async function checkDialog({ page }: Person, name: string, opener: Locator): Promise<string[]> {
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog')).last()
  const open = async () => {
    await expect.poll(() => opener.isEnabled(), { timeout: TIMEOUT }).toBe(true)
    await opener.focus()
    await page.keyboard.press('Enter')
    await dialog.waitFor()
  }
  const close = async () => {
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    // Radix returns the focus in a timeout after that, which would take it from the next opener. A later timeout comes after it.
    await page.evaluate(() => new Promise((done) => setTimeout(done)))
  }
  await open()
  const faults = await findFaults(page, name)
  if (!(await isTrue(dialog, (element) => element.contains(document.activeElement))))
    faults.push(`${name}: the focus is not in the dialog`)
  await close()
  if (!(await isFocused(opener))) faults.push(`${name}: the focus does not come back to what opened it`)
  // The opener may be hidden after the screen was narrow.
  await open()
  faults.push(...(await findNarrowFaults(page, name)))
  await close()
  return faults
}

/** Whether it becomes true of the element. */
const isTrue = (locator: Locator, condition: (element: Element) => boolean) =>
  expect
    .poll(() => locator.evaluate(condition), { timeout: TIMEOUT })
    .toBe(true)
    .then(
      () => true,
      () => false,
    )

const isFocused = (locator: Locator) => isTrue(locator, (element) => element === document.activeElement)

test("a visitor's pages are accessible", async () => {
  const person = await product.arrive()
  const { page } = person
  const faults = await checkPages(person, {
    '/': 'Frequently asked questions',
    '/purchase': 'Node Purchase',
    '/history': /log in/i,
    '/security': 'Please log in to access security settings.',
    '/about': 'Example Nodes Ltd',
    '/status': 'How far each part is',
    '/freeze': 'Open the link in the mail again',
    '/nothing-here': /not found/i,
    '/auth': 'Welcome back',
  })
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  faults.push(...(await look(person, 'sign-up')))
  await page.getByRole('tab', { name: 'Login' }).click()
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  faults.push(...(await look(person, 'login with errors')))

  await page.goto('/purchase')
  const banner = page.getByRole('banner')
  faults.push(...(await checkDialog(person, 'wallets', banner.getByRole('button', { name: 'Connect Wallet' }))))
  faults.push(...(await checkDialog(person, 'Human Verification', banner.getByRole('button', { name: 'Log in', exact: true }))))
  await banner.getByRole('button', { name: 'Log in', exact: true }).click()
  // The check mark covers the box.
  await page.getByLabel("I'm not a robot").click({ force: true })
  await page.getByRole('dialog', { name: 'Welcome back' }).waitFor()
  faults.push(...(await look(person, 'login dialog')))
  expect(faults).toEqual([])
})

test('every link of the footer is at least 44 pixels high and wide', async () => {
  const screens = [phone, {}].flatMap((screen) => ['en-US', 'ko-KR'].map((locale) => ({ ...screen, locale })))
  for (const screen of screens) {
    const { page } = await product.arrive(screen)
    await page.goto('/')
    const links = page.getByRole('contentinfo').getByRole('link')
    await links.last().waitFor()
    const sizes = await links.evaluateAll((all) =>
      all.map((link) => {
        const { width, height } = link.getBoundingClientRect()
        return { text: link.textContent, width, height }
      }),
    )
    expect(sizes).toHaveLength(8)
    expect(sizes.filter(({ width, height }) => width < 44 || height < 44)).toEqual([])
  }
})

test('the page about the seller is reached from the footer and read by keyboard', async () => {
  const { page } = await product.arrive()
  await page.goto('/')
  await page.getByRole('contentinfo').getByRole('link', { name: 'About', exact: true }).press('Enter')
  await page.getByRole('heading', { level: 1, name: 'About' }).waitFor()
  await expect.poll(() => page.title()).toBe('About · XCR Nodes')
  const content = page.getByRole('main')
  const targets = await content.getByRole('link').or(content.getByRole('button')).all()
  await targets[0]!.focus()
  for (const target of targets) {
    expect(await target.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Tab')
  }
})

test("a visitor's pages on a phone are accessible", async () => {
  const person = await product.arrive(phone)
  const { page } = person
  await page.goto('/')
  const menu = page.getByRole('button', { name: 'Open menu' })
  const faults = await checkDialog(person, 'side menu', menu)
  await page.goto('/purchase')
  faults.push(...(await checkDialog(person, 'wallets', page.getByRole('banner').getByRole('button', { name: 'Connect Wallet' }))))
  expect(faults).toEqual([])
})

test('a tap on a point of the field shows its node, and a holder steps through own nodes without a pointer', async () => {
  const visitor = await product.arrive(phone)
  await visitor.page.goto('/')
  const facts = ({ page }: Person) => page.getByRole('group', { name: 'Browse the nodes' })
  await facts(visitor).waitFor()
  const field = visitor.page.getByRole('img', { name: /^Nodes 1 to 1,000/ })
  await field.locator('canvas').first().waitFor()
  await field.tap({ position: { x: 10, y: 3 } })
  await facts(visitor)
    .getByText(/^Node [12] · Paid · \d\d \w+ \d{4} UTC$/)
    .waitFor()
  const faults = await look(visitor, 'picked node')

  const holder = await product.arriveAsMina()
  await holder.page.goto('/')
  await holder.page.getByRole('button', { name: 'Previous node' }).press('Enter')
  await facts(holder)
    .getByText(/^Node \d\d+ · Yours · \w+ · .* UTC$/)
    .waitFor()
  await holder.page.keyboard.press('Home')
  await facts(holder)
    .getByText(/^Node 1 · Yours · Paid/)
    .waitFor()
  faults.push(...(await look(holder, 'own node')))
  expect(faults).toEqual([])
})

test("a holder's pages are accessible", async () => {
  const person = await product.arriveAsMina()
  const { page } = person
  const faults = await checkPages(person, {
    '/': 'Owned Nodes',
    '/purchase': 'Node Purchase',
    '/history': 'XCR Distribution',
    '/register': /Checked by this device on|Nothing has been published yet/,
    '/proof': /Checked by this device on|Nothing has been published yet/,
    '/inbox': 'What we tell you',
    '/security': 'This device',
  })
  faults.push(...(await checkDialog(person, 'switching the authenticator off', page.getByRole('button', { name: 'Manage OTP' }))))
  faults.push(...(await checkDialog(person, 'code for recovery codes', page.getByRole('button', { name: 'New recovery codes' }))))

  const account = page.getByRole('button', { name: /^Account of/ })
  await account.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'XCR Withdraw' }).waitFor()
  faults.push(...(await look(person, 'user menu')))
  expect(faults).toEqual([])
})

test('freezing an account and thawing it is accessible', async () => {
  const member = await product.arriveAsMember({ isRich: false })
  const { page } = member
  await page.goto('/security')
  const faults = await checkDialog(member, 'freezing the account', page.getByRole('button', { name: 'Freeze account' }))
  // Elsewhere the freeze ends the session.
  await page.goto('about:blank')
  await product.comeBack(member)
  const link = await product.mailbox.readFreezeLink(member.email)

  const stranger = await product.arrive()
  const other = stranger.page
  for (const [answer, title] of [
    ['freeze_link_used', 'This link was used before'],
    ['freeze_link_expired', 'This link has expired'],
  ]) {
    await other.route('**/api/freeze', (route) => route.fulfill({ status: 410, json: { code: answer, message: title } }))
    await other.goto('about:blank')
    await other.goto(link)
    await other.getByRole('button', { name: 'Freeze my account' }).waitFor()
    faults.push(...(await look(stranger, 'freeze link')))
    await other.getByRole('button', { name: 'Freeze my account' }).click()
    await other.getByText(title!).waitFor()
    faults.push(...(await look(stranger, answer!)))
    await other.unrouteAll()
  }
  // The browser logs each refusal.
  stranger.errors.length = 0
  await other.goto('about:blank')
  await other.goto(link)
  await other.getByRole('button', { name: 'Freeze my account' }).click()
  await other.getByRole('heading', { name: 'Your account is frozen' }).waitFor()
  faults.push(...(await look(stranger, 'frozen')))

  const back = await product.comeBack(member)
  faults.push(...(await checkPages(back, { '/': 'Your account is frozen', '/security': 'Your account is frozen' })))
  faults.push(...(await checkDialog(back, 'thawing', back.page.getByRole('button', { name: 'Thaw account' }))))
  await back.page.getByRole('button', { name: 'Thaw account' }).click()
  await back.page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(product.password)
  await back.page
    .getByRole('dialog')
    .getByLabel('Authenticator code')
    .fill(await member.makeNextCode())
  await back.page.getByRole('button', { name: 'Start the thaw' }).click()
  await back.page.getByText(/^It is thawed on/).waitFor()
  faults.push(...(await look(back, 'planned thaw')))

  const administrator = await product.openBackOffice()
  const opener = administrator.page.getByRole('button', { name: `Thaw account of ${member.email}` })
  await opener.waitFor()
  faults.push(...(await look(administrator, 'frozen user')))
  faults.push(...(await checkDialog(administrator, 'thawing a user', opener)))
  expect(faults).toEqual([])
})

test('at 200 % zoom, or with text of twice its size, no page on a phone scrolls sideways', async () => {
  const [visitor, holder] = [await product.arrive(), await product.arriveAsMina()]
  const faults = []
  for (const [person, places] of [
    [visitor, { '/': 'Latest', '/purchase': 'Node Purchase', '/status': 'How far each part is', '/auth': 'Welcome back' }],
    [holder, { '/': /pending nodes/, '/history': 'Completed', '/inbox': 'What we tell you', '/security': 'This device' }],
  ] as const)
    for (const [place, text] of Object.entries(places)) {
      await person.page.goto(place)
      await person.page.getByText(text).or(person.page.getByLabel(text)).first().waitFor()
      faults.push(...(await findTinyFaults(person.page, place)), ...(await findLargeTextFaults(person.page, place)))
    }
  expect(faults).toEqual([])
})

test('with text of twice its size no page of the back office scrolls sideways, and its tables show every button', async () => {
  const { page } = await product.openBackOffice()
  const faults = []
  for (const [tab, text] of Object.entries({
    users: 'mina@example.com',
    withdrawals: 'mina@example.com',
    purchases: 'mina@example.com',
    bonus: 'mina@example.com',
    settings: 'Sales control',
    audit: 'Before → after',
    deposits: 'mina@example.com',
    health: 'Deposit watcher',
  })) {
    await page.goto(`/admin-panel?tab=${tab}`)
    await page.getByText(text).first().waitFor()
    faults.push(...(await findLargeTextFaults(page, tab)))
  }
  expect(faults).toEqual([])
})

test('on a phone the time at which a wallet was proven is directly below the email of who proved it', async () => {
  const { page } = await product.openBackOffice({ tab: 'purchases', ...phone })
  const times = page.getByText(/^\(\d+ \w+ \d{4}, \d\d:\d\d UTC\)$/)
  await times.first().waitFor()
  const places = await times.evaluateAll((all) =>
    all.map((time) => {
      const [below, above] = [time, time.previousElementSibling!].map((element) => {
        const text = document.createRange()
        text.selectNodeContents(element)
        return text.getBoundingClientRect()
      })
      return { left: below!.left - above!.left, isClose: below!.top - above!.bottom < 8 }
    }),
  )
  expect(new Set(places.map((place) => JSON.stringify(place)))).toEqual(new Set([JSON.stringify({ left: 0, isClose: true })]))
})

test('the tabs of the login and the link of the logo take touches on at least 44 pixels', async () => {
  const { page } = await product.arriveAsMina(phone)
  await page.goto('/')
  await page.getByRole('button', { name: 'Withdraw', exact: true }).waitFor()
  const logo = await page.getByRole('banner').getByRole('link', { name: 'XCR Nodes' }).boundingBox()
  expect(Math.min(logo!.width, logo!.height)).toBeGreaterThanOrEqual(44)

  const visitor = await product.arrive(phone)
  await visitor.page.goto('/auth')
  const tabs = visitor.page.getByRole('tab')
  await tabs.first().waitFor()
  const widths = await tabs.evaluateAll((all) =>
    all.map((tab) => {
      const { left, top, width, height } = tab.getBoundingClientRect()
      const isHit = (x: number) => document.elementFromPoint(x, top + height / 2)?.closest('[role=tab]') === tab
      return [...Array(Math.ceil(width) + 40).keys()].filter((at) => isHit(left - 20 + at)).length
    }),
  )
  expect(Math.min(...widths)).toBeGreaterThanOrEqual(44)
})

test("the daily income's placeholder is as high as the income of an account without pending nodes", async () => {
  const { page } = await product.arriveAsMina(phone)
  const nodes = await (await page.request.get('/api/user/nodes')).json()
  const isAsked = Promise.withResolvers<void>()
  await page.route('**/api/user/nodes', async (route) => {
    await isAsked.promise
    await route.fulfill({ json: { ...nodes, pendingNodes: 0 } })
  })
  await page.goto('/')
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Daily XCR Income' }) })
  await card.waitFor()
  const height = (await card.boundingBox())!.height
  isAsked.resolve()
  await card.getByText('XCR / day').waitFor()
  expect((await card.boundingBox())!.height).toBe(height)
})

test('in high contrast what is chosen, on and pressable is told apart', async () => {
  const { page } = await product.arriveAsMina({ forcedColors: 'active' })
  const read = (element: Locator, property: 'color' | 'backgroundColor' | 'borderBottomColor' | 'borderBottomWidth') =>
    element.evaluate((node, name) => getComputedStyle(node)[name], property)

  await page.goto('/purchase')
  const preset = (name: string) => page.getByRole('radio', { name, exact: true })
  await preset('5').click()
  expect(await read(preset('5'), 'color')).not.toBe(await read(preset('10'), 'color'))
  expect(await read(page.getByRole('button', { name: /^Pay .* to purchase/ }), 'borderBottomWidth')).toBe('1px')

  await page.getByRole('button', { name: /mina/ }).click()
  const theme = page.getByRole('menuitem', { name: /Theme/ })
  await theme.hover()
  expect(await read(theme, 'color')).not.toBe(await read(page.getByRole('menuitem', { name: 'Log out' }), 'color'))
  expect(new Set(await theme.locator('*').evaluateAll((parts) => parts.map((part) => getComputedStyle(part).color)))).toEqual(
    new Set([await read(theme, 'color')]),
  )
  await page.keyboard.press('Escape')

  await page.goto('/history')
  const summary = page.getByRole('switch').first()
  const before = await read(summary, 'backgroundColor')
  await summary.click()
  await expect.poll(() => summary.getAttribute('aria-checked'), { timeout: TIMEOUT }).toBe('true')
  await expect.poll(() => read(summary, 'backgroundColor'), { timeout: TIMEOUT }).not.toBe(before)

  const visitor = await product.arrive({ forcedColors: 'active' })
  await visitor.page.goto('/auth')
  const tab = (name: string) => visitor.page.getByRole('tab', { name })
  expect(await read(tab('Login'), 'borderBottomColor')).not.toBe(await read(tab('Sign Up'), 'borderBottomColor'))
})

test("a buyer's steps from the wallet to the payment are accessible", async () => {
  const person = await product.arriveAsMember()
  const { page } = person
  await page.goto('/purchase')
  await connectWallet(person)
  const faults = await checkDialog(
    person,
    'connected wallet',
    page.getByRole('banner').getByRole('button', { name: /^Wallet 0x/ }),
  )
  await page.getByRole('radio', { name: '1', exact: true }).click()
  faults.push(...(await checkDialog(person, 'authenticator', page.getByRole('button', { name: /^Pay .* to purchase/ }))))
  await reserveNodes(person, { quantity: 1, code: await person.makeCode() })
  faults.push(...(await look(person, 'payment')))
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keep them and close' }).waitFor()
  faults.push(...(await look(person, 'leaving the payment')))
  expect(faults).toEqual([])
})

test("a holder's withdrawal is accessible", async () => {
  const person = await product.arriveAsMember()
  const { page } = person
  await page.goto('/history')
  await connectWallet(person)
  const account = page.getByRole('button', { name: /^Account of/ })
  await account.click()
  await page.getByRole('menuitem', { name: 'XCR Withdraw' }).click()
  const withdrawal = page.getByRole('dialog', { name: 'XCR Withdrawal' })
  await withdrawal.getByRole('button', { name: 'Wallet setup guide' }).click()
  const faults = await look(person, 'withdrawal')
  await withdrawal.getByLabel('Amount').fill('1')
  await withdrawal.getByRole('button', { name: 'Request Withdrawal' }).click()
  faults.push(...(await look(person, 'withdrawal of too little')))
  await page.keyboard.press('Escape')
  await withdrawal.waitFor({ state: 'detached' })
  if (!(await isFocused(account))) faults.push('withdrawal: the focus does not come back to the menu that led to it')
  expect(faults).toEqual([])
})

test('nodes are bought without a pointer', async () => {
  const person = await product.arriveAsMember()
  const { page, wallet } = person
  const press = async (button: Locator) => {
    await button.waitFor()
    for (let stops = 0; stops < 80 && !(await button.evaluate((element) => element === document.activeElement)); stops += 1)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
  }
  await page.goto('/purchase')
  await press(page.getByRole('banner').getByRole('button', { name: 'Connect Wallet' }))
  await press(page.getByRole('dialog').getByRole('button', { name: wallet.name }))
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await press(page.getByRole('button', { name: /^Pay 3 USDT to purchase/ }))
  await typeCode(person, await person.makeCode())
  const payment = page.getByRole('dialog', { name: 'Payment Progress' })
  await press(payment.getByRole('button', { name: 'Switch to BNB Smart Chain' }))
  await press(payment.getByRole('button', { name: /^Pay \d/ }))
  await page.getByText(/^Node [\d,]+ is yours\.$/).waitFor()
})

test('the back office is accessible', async () => {
  const visitor = await product.arrive()
  const faults = await checkPages(visitor, { '/admin1': 'Username' })
  const administrator = await product.openBackOffice()
  const { page } = administrator
  const tabs: Record<string, { shows: string | RegExp; dialogs: RegExp[] }> = {
    users: {
      shows: 'mina@example.com',
      dialogs: [/^XCR details of mina/, /^Reset password of mina/, /^Start vesting/],
    },
    withdrawals: {
      shows: 'mina@example.com',
      dialogs: [/^Approve the withdrawal of mina/, /^Reject the withdrawal of mina/, /^Mark paid: withdrawal of mina/],
    },
    purchases: {
      shows: 'mina@example.com',
      dialogs: [/^Cancel: /, /^Manual confirm: /, /^Assign/, /^Mark refunded: /, /^Ignore/],
    },
    bonus: { shows: 'mina@example.com', dialogs: [/^Grant all due/] },
    settings: { shows: 'Sales control', dialogs: [/^Setup OTP/] },
    audit: { shows: 'Before → after', dialogs: [] },
    deposits: { shows: 'mina@example.com', dialogs: [] },
    health: { shows: 'Deposit watcher', dialogs: [/^Report an incident/] },
  }
  for (const [tab, { shows, dialogs }] of Object.entries(tabs)) {
    await page.goto(`/admin-panel?tab=${tab}`)
    await page.getByText(shows).first().waitFor()
    faults.push(...(await look(administrator, tab)))
    for (const name of dialogs) {
      const opener = page.getByRole('button', { name }).first()
      if (await opener.count()) faults.push(...(await checkDialog(administrator, `${tab}, ${name.source}`, opener)))
      else faults.push(`${tab}: there is no button ${name.source}`)
    }
  }
  await page.goto('/admin-panel?tab=overview')
  await page.getByRole('figure').first().waitFor()
  faults.push(...(await look(administrator, 'overview')))
  expect(faults).toEqual([])
})
