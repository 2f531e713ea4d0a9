import { generate } from 'otplib'
import pg from 'pg'
import { expect, test } from 'vitest'
import { type Person, expectToast, useProduct } from './fixtures.ts'
import { findFaults } from './findFaults.ts'
import { keepPictures } from './keepPictures.ts'

const product = useProduct()

const name = 'root'
const firstPassword = 'administrator'
const secondPassword = 'a longer administrator'
let secret = ''

/** Each code works once, and that of the next half minute is accepted too, so two uses need not wait. */
const codeAfter = (seconds: number) => generate({ secret, epoch: Math.floor(Date.now() / 1_000) + seconds })

/** Instead of waiting for the next half minute: the last used code works once more. */
async function forgetUsedCode(): Promise<void> {
  const database = new pg.Client(product.running().databaseUrl)
  await database.connect()
  await database.query('update administrators set otp_last_step = null')
  await database.end()
}

async function enterPassword({ page }: Person, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}

test('a visitor downloads nothing of the back office', async () => {
  const { page } = await product.arrive()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto('/setup')
  await page.getByRole('heading', { name: 'Initial Setup' }).waitFor()

  expect(asked.filter((url) => url.includes('/assets/')).length).toBeGreaterThan(0)
  expect(asked.filter((url) => url.includes('/assets/admin/'))).toEqual([])
  expect(await (await page.request.get('/sw.js')).text()).not.toContain('assets/admin/')
})

test('an administrator sets up the product, logs in, and secures the login', async () => {
  const person = await product.arrive()
  const { page } = person

  // First run: every page redirects to the setup, and the setup to the login.
  await page.goto('/admin-panel')
  await page.waitForURL('**/setup')
  await page.getByLabel('Admin Username').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(firstPassword)
  await page.getByLabel('Confirm Password').fill(firstPassword)
  await page.getByLabel('Allowed IP Addresses').fill('127.0.0.1, 10.0.0.8')
  await page.getByRole('button', { name: 'Complete Setup' }).click()
  await expectToast(person, 'Setup Complete')
  await page.waitForURL('**/admin1')

  // Nobody is logged in yet.
  await page.goto('/admin-panel')
  await expectToast(person, 'Admin Login Required')
  await page.waitForURL('**/admin1')

  // With the password alone.
  await page.getByRole('button', { name: 'Continue' }).click()
  await expectToast(person, 'Input Required', 'Please enter both username and password.')
  await enterPassword(person, name, firstPassword)
  await expectToast(person, 'Login Successful', 'Welcome')
  await page.waitForURL('**/admin-panel')
  await page.getByRole('heading', { name: 'admin dashboard' }).waitFor()
  await page.getByRole('banner').getByText(name, { exact: true }).waitFor()
  expect(await page.getByRole('banner').getByRole('link').allTextContents()).toEqual(['Admin'])
  await page.goto('/admin1')
  await page.waitForURL('**/admin-panel')

  // An expired session is reported on the next change; it redirects to the administrator's login and back.
  await page.goto('/admin-panel?tab=settings')
  await page.getByText('Basic (password only)').waitFor()
  await person.context.clearCookies()
  await Promise.all([
    // The redirect ends it after half a second.
    expectToast(person, 'Unauthorized – you are logged out, logging in again'),
    page.getByRole('button', { name: 'Setup OTP' }).click(),
  ])
  await page.waitForURL('**/admin1')
  // Other requests of the page that were under way are refused as well.
  const refused = person.errors.splice(0)
  expect(refused).toEqual(refused.map(() => expect.stringContaining('401')))
  await enterPassword(person, name, firstPassword)
  await page.waitForURL('**/admin-panel?tab=settings')

  // Sets up the authenticator with its manual key.
  await page.getByText('Basic (password only)').waitFor()
  await page.getByRole('button', { name: 'Setup OTP' }).click()
  const dialog = page.getByRole('dialog', { name: 'Setup OTP' })
  const key = dialog.getByText('Manual Entry Key', { exact: true }).locator('xpath=following-sibling::*')
  secret = (await key.textContent())!.replaceAll(/\s/g, '')
  expect(await dialog.getByRole('button', { name: 'Enable OTP' }).isDisabled()).toBe(true)
  await dialog.getByLabel('6-digit code').fill(await codeAfter(0))
  await dialog.getByRole('button', { name: 'Enable OTP' }).click()
  await expectToast(person, 'OTP Setup Complete')
  await page.getByText('ENABLED', { exact: true }).waitFor()
  await page.getByText('Enhanced (password plus one-time code)').waitFor()
  await page.getByRole('button', { name: 'Admin Logout' }).click()
  await page.waitForURL('**/admin1')

  // From now on the login has two steps; Back starts over.
  await enterPassword(person, name, firstPassword)
  await expectToast(person, 'Password Verified')
  await page.getByRole('button', { name: 'Verify & Sign In' }).click()
  await expectToast(person, 'OTP Required', 'Please enter your 6-digit verification code.')
  await page.getByLabel('6-digit code').fill('123')
  await page.getByRole('button', { name: 'Back to Login' }).click()
  await enterPassword(person, name, firstPassword)
  await page.getByLabel('6-digit code').waitFor()
  expect(await page.getByLabel('6-digit code').inputValue()).toBe('')
  await page.getByLabel('6-digit code').fill(await codeAfter(30))
  await page.keyboard.press('Enter')
  await expectToast(person, 'Login Successful')
  await page.waitForURL('**/admin-panel')

  // Changes name and password; this session continues.
  await page.goto('/admin-panel?tab=settings')
  await page.getByLabel('Current password').fill('not this one')
  await page.getByLabel('New username').fill('warden')
  await page.getByLabel('New password', { exact: true }).fill(secondPassword)
  await page.getByLabel('Confirm new password').fill(secondPassword)
  await page.getByRole('button', { name: 'Update credentials' }).click()
  await expectToast(person, 'Failed to update credentials', 'The current password is incorrect.')
  await page.getByLabel('Current password').fill(firstPassword)
  await page.getByRole('button', { name: 'Update credentials' }).click()
  await expectToast(person, 'Admin Credentials Updated')
  await page.getByRole('banner').getByText('warden', { exact: true }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'admin dashboard' }).waitFor()

  // The old credentials are refused, the new ones require a code.
  const other = await product.arrive()
  await other.page.goto('/admin1')
  await enterPassword(other, name, firstPassword)
  await expectToast(other, 'Login Failed')
  await enterPassword(other, 'warden', secondPassword)
  await expectToast(other, 'Password Verified')

  // The list of addresses: removing the own one needs confirmation.
  const field = page.getByLabel('Add an IP address')
  await field.fill('10.0.0')
  await page.getByRole('button', { name: 'Add address' }).click()
  await expectToast(person, 'Invalid IP Address', 'Please enter a valid IPv4 address, such as 192.168.1.10.')
  await page.getByRole('button', { name: 'Remove 127.0.0.1' }).click()
  await page.getByRole('dialog', { name: 'Lock out 127.0.0.1?' }).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Remove all restrictions' }).click()
  const removal = page.getByRole('dialog', { name: 'Remove all IP restrictions?' })
  await removal.getByLabel('Reason').fill('Traveling')
  await removal.getByRole('button', { name: 'Remove all restrictions' }).click()
  // The only owner is asked for a code. Going back leaves everything as it was.
  const prompt = page.getByRole('dialog', { name: "Confirm that it's you" })
  await prompt.getByLabel('Current 6-digit code').waitFor()
  expect(await findFaults(page, 'confirming with a code')).toEqual([])
  await keepPictures(page, 'admin decision code')
  await page.keyboard.press('Escape')
  await prompt.waitFor({ state: 'detached' })
  expect(await removal.getByLabel('Reason').inputValue()).toBe('Traveling')
  await removal.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Restricted', { exact: true }).waitFor()

  // Confirming locks the administrator out.
  await page.getByRole('button', { name: 'Remove 127.0.0.1' }).click()
  const lockout = page.getByRole('dialog', { name: 'Lock out 127.0.0.1?' })
  await lockout.getByRole('button', { name: 'Save without my address' }).click()
  await forgetUsedCode()
  await prompt.getByLabel('Current 6-digit code').fill(await codeAfter(0))
  await page.keyboard.press('Enter')
  // First the prompt, which hides the dialog below it from the accessibility tree.
  await prompt.waitFor({ state: 'detached' })
  await lockout.waitFor({ state: 'detached' })
  await page.goto('/admin-panel')
  await page.getByRole('heading', { name: 'Access denied – admin privileges required' }).waitFor()
  await page.getByText('Your IP address (127.0.0.1) is not allowed in the administrator area.').waitFor()

  // The refused calls that the browser logs.
  expect(person.errors.splice(0).every((error) => /status of (400|403)/.test(error))).toBe(true)
  expect(other.errors.splice(0)).toEqual([expect.stringContaining('400')])
})
