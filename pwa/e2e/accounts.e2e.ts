import { createChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { readFreezeLink } from '#shared/contract/freezes.ts'
import { MINUTE } from '#shared/dates.ts'
import { type Person, expectToast, forgetRefusals, useProduct } from './fixtures.ts'

const product = useProduct()
const newPassword = 'N3w&password'
const TIMEOUT = { timeout: 60_000 }

const humanVerification = (page: Page) => page.getByRole('dialog', { name: 'Human Verification' })
const logins = (page: Page) => page.getByRole('dialog', { name: 'Welcome back' })
const account = (page: Page) => page.getByRole('button', { name: /^Account of / })

/** Ticks the captcha's box; the browser then solves the challenge. */
async function passVerification({ page }: Person) {
  // The check mark covers the box.
  await humanVerification(page).getByLabel("I'm not a robot").click({ force: true })
  await humanVerification(page).waitFor({ state: 'hidden' })
}

async function typeLogin({ page, email }: Person, password: string) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Login', exact: true }).click()
}

/** Waits for the refused calls that the browser logs. */
async function expectRefusals({ errors }: Person, statuses: number[]) {
  await vi.waitFor(() => expect(errors.length).toBeGreaterThanOrEqual(statuses.length), TIMEOUT)
  expect(errors.splice(0)).toEqual(statuses.map((status) => expect.stringContaining(String(status))))
}

async function openLoggedOut() {
  await product.setUp()
  const member = await product.arriveAsMember({ isRich: false })
  await member.context.clearCookies()
  return member
}

test('a member solves the captcha, logs in over the current page, and logs out to the dashboard', async () => {
  const person = await openLoggedOut()
  const { page } = person
  await page.goto('/purchase')
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await humanVerification(page).getByText('Please complete the verification below to continue').waitFor()
  await passVerification(person)
  await logins(page).waitFor()
  await typeLogin(person, product.password)

  await expectToast(person, 'Login Successful', 'Welcome')
  await logins(page).waitFor({ state: 'hidden' })
  await account(page).click()
  expect(new URL(page.url()).pathname).toBe('/purchase')

  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.waitForURL(product.running().url + '/')
  await page.getByRole('button', { name: 'Log in', exact: true }).waitFor()
  expect((await person.context.request.get('/api/auth/user')).status()).toBe(401)
})

test('a rejected verification shows an alert and opens no login', async () => {
  const person = await openLoggedOut()
  const { page } = person
  const alerts: string[] = []
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message())
    void dialog.accept()
  })
  // The browser solves another server's challenge, which takes it one try.
  const foreign = await createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost: 1,
    counter: 1,
    deriveKey,
    expiresAt: new Date(Date.now() + MINUTE),
    hmacSignatureSecret: 'of another server',
  })
  await page.route('**/api/auth/captcha/challenge', (route) => route.fulfill({ json: foreign }))
  await page.goto('/')
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await passVerification(person)

  await vi.waitFor(() => expect(alerts).toEqual(['CAPTCHA verification failed. Please try again.']), TIMEOUT)
  expect(await logins(page).count()).toBe(0)
  await expectRefusals(person, [400])
})

test('after three wrong passwords the login requires a verification, on its page as well', async () => {
  const person = await openLoggedOut()
  const { page } = person
  await page.goto('/auth')
  for (const wrong of ['one', 'two', 'three']) {
    await typeLogin(person, wrong)
    await expectToast(person, 'Login Failed')
    await page.getByRole('button', { name: 'Close notification' }).click()
  }
  await typeLogin(person, product.password)
  await passVerification(person)

  await page.waitForURL(product.running().url + '/')
  await account(page).waitFor()
  await expectRefusals(person, [400, 400, 400, 403])
})

test('a forgotten password is reset by email, with a recovery code instead of the phone', async () => {
  const person = await openLoggedOut()
  const { page, email } = person
  await page.goto('/auth')
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Forgot password?' }).click()
  await page.getByRole('button', { name: 'Send Verification Code' }).click()
  await page.getByLabel('Verification Code').fill(await product.mailbox.readCode(email))
  await page.getByLabel('New Password', { exact: true }).fill(newPassword)
  await page.getByLabel('Confirm New Password').fill(newPassword)
  await page.getByRole('button', { name: 'Change Password' }).click()
  await page.getByLabel('Authenticator code').waitFor()
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(person.recoveryCodes[0]!.toLowerCase())
  await page.getByRole('button', { name: 'Change Password' }).click()

  await expectToast(person, 'Password Changed Successfully')
  await typeLogin(person, newPassword)
  await page.waitForURL(product.running().url + '/')
  await page.goto('/security')
  await page.getByText('9 of 10 left').waitFor()
  await expectRefusals(person, [403])
})

test('changing the password ends the other sessions and keeps this one', async () => {
  await product.setUp()
  const person = await product.arriveAsMember({ isRich: false })
  const other = await product.comeBack(person)
  const { page } = person
  await page.goto('/security')
  const sessions = page.getByRole('listitem').filter({ hasText: 'Last seen' })
  await sessions.nth(1).waitFor()

  await page.getByLabel('Current Password').fill(product.password)
  await page.getByLabel('New Password', { exact: true }).fill(newPassword)
  await page.getByLabel('Confirm New Password').fill(newPassword)
  await page.getByRole('button', { name: 'Change Password' }).click()
  await expectToast(person, 'Password Changed Successfully')
  await sessions.nth(1).waitFor({ state: 'hidden' })
  expect(await sessions.count()).toBe(1)

  await other.page.goto('/security')
  await other.page.getByText('Please log in to access security settings.').waitFor()
  // What its page was asking for when its session ended.
  forgetRefusals(other, 401)
  await page.reload()
  await page.getByText('This device').waitFor()
})

test('all other sessions can be ended at once', async () => {
  await product.setUp()
  const person = await product.arriveAsMember({ isRich: false })
  const other = await product.comeBack(person)
  const { page } = person
  await page.goto('/security')
  await page.getByRole('button', { name: 'Log out everywhere else' }).click()

  await expectToast(person, 'Logged Out Everywhere Else', 'One session was ended.')
  await other.page.goto('/security')
  await other.page.getByText('Please log in to access security settings.').waitFor()
  forgetRefusals(other, 401)
})

test('a recovery code renews the codes, and a new one disables the authenticator', async () => {
  await product.setUp()
  const person = await product.arriveAsMember({ isRich: false })
  const { page } = person
  await page.goto('/security')
  await page.getByRole('button', { name: 'New recovery codes' }).click()
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(person.recoveryCodes[0]!)
  await page.getByRole('button', { name: 'Verify Code' }).click()
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await codes.nth(9).waitFor()
  const [first] = await codes.allTextContents()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  expect((await download).suggestedFilename()).toBe('recovery-codes.txt')
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('10 of 10 left').waitFor()

  await page.getByRole('button', { name: 'Manage OTP' }).click()
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  // The old codes are invalid.
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(person.recoveryCodes[1]!)
  await page.getByRole('button', { name: 'Disable OTP' }).click()
  await expectToast(person, 'Disable Failed')
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(first!)
  await page.getByRole('button', { name: 'Disable OTP' }).click()
  await expectToast(person, 'OTP Disabled')
  await page.getByRole('button', { name: 'Setup OTP' }).waitFor()
  await expectRefusals(person, [400])
})

test('a link of a security mail changes nothing until the press, and the owner thaws the account', async () => {
  await product.setUp()
  const member = await product.arriveAsMember({ isRich: false })
  const thief = await product.comeBack(member)
  const link = await product.mailbox.readFreezeLink(member.email)
  const stranger = await product.arrive()
  const { page, context } = stranger
  const isFrozen = async () => 'frozen' in ((await (await member.context.request.get('/api/auth/user')).json()) as object)

  // As a mail scanner does, without and with scripts.
  const fetched = await Promise.all(Array.from({ length: 100 }, () => context.request.get(link)))
  expect(new Set(fetched.map((answer) => answer.status()))).toEqual(new Set([200]))
  const posts: string[] = []
  page.on('request', (request) => request.method() === 'GET' || posts.push(request.url()))
  for (let visit = 0; visit < 3; visit += 1) {
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('button', { name: 'Freeze my account' }).waitFor()
    await page.waitForLoadState('networkidle')
  }
  expect(new Set(posts), 'asks only whether the link still works').toEqual(new Set([product.running().url + readFreezeLink.path]))
  expect(await isFrozen()).toBe(false)
  expect(page.url()).toBe(`${product.running().url}/freeze`)
  await page.reload()

  await page.getByRole('button', { name: 'Freeze my account' }).press('Enter')
  await page.getByRole('heading', { name: 'Your account is frozen' }).waitFor()
  for (const { context: ended } of [member, thief]) expect((await ended.request.get('/api/auth/user')).status()).toBe(401)
  await page.goto('about:blank')
  await page.goto('/freeze')
  await page.getByText('Open the link in the mail again').waitFor()

  await page.goto('/auth')
  await typeLogin({ ...stranger, email: member.email }, product.password)
  await page.waitForURL(`${product.running().url}/`)
  await page.getByRole('button', { name: 'Thaw account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Thaw Account' })
  await dialog.getByLabel('Password', { exact: true }).fill(product.password)
  await dialog.getByLabel('Authenticator code').fill(await member.makeNextCode())
  await dialog.getByRole('button', { name: 'Start the thaw' }).click()
  await expectToast(stranger, 'Thaw Started')
  await page.getByText(/^It is thawed on .* UTC\./).waitFor()

  const again = await product.mailbox.readFreezeLink(member.email, 'Your account will be thawed')
  await page.goto(again)
  await page.getByRole('button', { name: 'Freeze my account' }).click()
  await page.getByRole('heading', { name: 'Your account is frozen' }).waitFor()
  await page.getByRole('banner').getByRole('button', { name: 'Log in', exact: true }).waitFor()
  // The page may have asked for something while its session ended.
  forgetRefusals(stranger, 401)
  await page.goto('about:blank')
  await page.goto(link)
  await page.getByRole('heading', { name: 'Your account is frozen' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Your account is frozen' }).waitFor()
})
