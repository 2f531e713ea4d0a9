import type { CDPSession, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { generate } from 'otplib'
import { findFaults } from './findFaults.ts'
import { expectToast, forgetRefusals, password, type Person, typeCode, useProduct } from './fixtures.ts'
import { keepPictures } from './keepPictures.ts'

const product = useProduct()

interface Authenticator {
  /** Whether its user shows the finger, face or PIN that is asked for. */
  verify(isVerified: boolean): Promise<void>
  /** Sets the counter of its passkeys back, as in a copy. */
  rewind(): Promise<void>
}

/** Plugs an authenticator into the browser. */
async function plugIn(page: Page, transport: 'internal' | 'usb' = 'internal'): Promise<Authenticator> {
  const session: CDPSession = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    verify: async (isUserVerified) => void (await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })),
    async rewind() {
      const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId })
      for (const credential of credentials) {
        await session.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential.credentialId })
        await session.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount: 0 } })
      }
    },
  }
}

const card = ({ page }: Person, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) })

/** Ends the login once no page is open whose calls would be refused. */
async function forgetLogin({ page, context }: Person): Promise<void> {
  await page.goto('about:blank')
  await context.clearCookies()
}

test('a buyer adds a passkey with a code, logs in with it without captcha, and removes it', async () => {
  await product.setUp()
  const buyer = await product.arriveAsMember({ isRich: false })
  const { page, context } = buyer
  const phone = await plugIn(page)
  await page.goto('/security')
  const passkeys = card(buyer, 'Passkeys')
  await passkeys.getByRole('button', { name: 'Add a passkey' }).press('Enter')
  await typeCode(buyer, await buyer.makeNextCode())
  const dialog = page.getByRole('dialog', { name: 'Add a Passkey' })
  await dialog.getByLabel('Name (optional)').fill('My phone')
  expect(await findFaults(page, 'adding a passkey')).toEqual([])
  await keepPictures(page, 'passkeys add')

  // The authenticator is new: whoever has the session could have set it up.
  await dialog.getByRole('button', { name: 'Create passkey' }).click()
  await dialog.getByLabel('Your password').fill(password)
  forgetRefusals(buyer, 400)
  expect(await findFaults(page, 'adding a passkey with the password')).toEqual([])
  await keepPictures(page, 'passkeys add with password')

  // Somebody else holds the phone: the prompt fails, and trying again needs no other code.
  await phone.verify(false)
  await dialog.getByRole('button', { name: 'Create passkey' }).click()
  await expectToast(
    buyer,
    'No Passkey Added',
    'It was cancelled, took too long, or this device could not verify you. Nothing was changed.',
  )
  await phone.verify(true)
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await expectToast(buyer, 'Passkey Added', 'You can log in with it from now on.')
  await passkeys.getByText('My phone').waitFor()
  await passkeys.getByText('Not used yet').waitFor()
  expect(await findFaults(page, 'passkeys')).toEqual([])
  await passkeys.scrollIntoViewIfNeeded()
  await keepPictures(page, 'passkeys card')

  // From any page, before the captcha.
  await forgetLogin(buyer)
  await page.goto('/purchase')
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  const verification = page.getByRole('dialog', { name: 'Human Verification' })
  await verification.getByRole('button', { name: 'Log in with a passkey' }).waitFor()
  await verification.getByLabel("I'm not a robot").waitFor()
  await keepPictures(page, 'passkeys verification')
  await verification.getByRole('button', { name: 'Log in with a passkey' }).press('Enter')
  await expectToast(buyer, 'Login Successful', 'Welcome')
  await page.getByRole('button', { name: /^Account of / }).waitFor()

  // It is no step-up.
  const renewal = await context.request.post('/api/auth/otp/recovery-codes')
  expect([renewal.status(), ((await renewal.json()) as { code: string }).code]).toEqual([403, 'otp_required'])

  // On the login page; whoever cannot be verified is not logged in.
  await forgetLogin(buyer)
  await page.goto('/auth')
  await phone.verify(false)
  await page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await expectToast(buyer, 'Login Failed')
  await keepPictures(page, 'passkeys login')
  await phone.verify(true)
  await page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await page.getByRole('button', { name: /^Account of / }).waitFor()

  await page.goto('/security')
  await passkeys.getByText(/^Last used/).waitFor()
  await passkeys.getByRole('button', { name: 'Remove the passkey My phone' }).press('Enter')
  const question = page.getByRole('dialog', { name: 'Remove the passkey My phone?' })
  await keepPictures(page, 'passkeys remove')
  await question.getByRole('button', { name: 'Remove passkey' }).click()
  await expectToast(buyer, 'Passkey Removed', 'You are logged out everywhere else.')
  await passkeys.getByText('My phone').waitFor({ state: 'detached' })

  await forgetLogin(buyer)
  await page.goto('/auth')
  await page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await expectToast(buyer, 'Login Failed', 'This passkey does not belong to an account here. It may have been removed.')
  forgetRefusals(buyer, 400)
})

test('a copied passkey is refused, and answers are accepted once and from this site only', async () => {
  const buyer = await product.arriveAsMember({ isRich: false })
  const { page, context } = buyer
  const phone = await plugIn(page)
  await page.goto('/security')
  const passkeys = card(buyer, 'Passkeys')
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click()
  await typeCode(buyer, await buyer.makeNextCode())
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.getByLabel('Your password').fill(password)
  forgetRefusals(buyer, 400)
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await expectToast(buyer, 'Passkey Added')

  await forgetLogin(buyer)
  await page.goto('/auth')
  const sent: string[] = []
  page.on('request', (request) => void (request.url().endsWith('/api/login/passkey') && sent.push(request.postData() ?? '')))
  await page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await page.getByRole('button', { name: /^Account of/ }).waitFor()
  const replay = await context.request.post('/api/login/passkey', { data: JSON.parse(sent[0]!) as object })
  expect([replay.status(), ((await replay.json()) as { code: string }).code]).toEqual([409, 'passkey_expired'])

  // Under an IP address there are no passkeys. Under a foreign host the browser signs only for that host.
  const elsewhere = await product.arrive({ baseURL: product.running().url.replace('localhost', '127.0.0.1') })
  await elsewhere.page.goto('/auth')
  await elsewhere.page.getByRole('button', { name: 'Login', exact: true }).waitFor()
  expect(await elsewhere.page.getByRole('button', { name: 'Log in with a passkey' }).count()).toBe(0)
  const foreign = await product.arrive({ baseURL: product.running().url.replace('localhost', 'evil.localhost') })
  await foreign.page.goto('/auth')
  await plugIn(foreign.page)
  await foreign.page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await expectToast(foreign, 'Login Failed')

  await forgetLogin(buyer)
  await page.goto('/auth')
  await phone.rewind()
  await page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await expectToast(
    buyer,
    'Login Failed',
    'This passkey was disabled, because a copy of it was used. Please log in another way and remove it.',
  )
  forgetRefusals(buyer, 403)
  const again = await product.comeBack(buyer)
  await again.page.goto('/security')
  await card(again, 'Passkeys').getByText('A copy of it was used, so it is refused. Remove it.').waitFor()
})

test('without the API nothing of passkeys is shown, and the page works as before', async () => {
  const buyer = await product.arriveAsMember({ isRich: false })
  await buyer.context.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'))
  await buyer.page.goto('/security')
  await card(buyer, 'Change Password').waitFor()
  await card(buyer, 'Authenticator App').getByText('Enabled').waitFor()
  expect(await card(buyer, 'Passkeys').count()).toBe(0)
  await forgetLogin(buyer)
  await buyer.page.goto('/auth')
  await buyer.page.getByLabel('Email').fill(buyer.email)
  await buyer.page.getByLabel('Password', { exact: true }).fill(product.password)
  expect(await buyer.page.getByRole('button', { name: /passkey/i }).count()).toBe(0)
  await buyer.page.getByRole('button', { name: 'Login', exact: true }).click()
  await expectToast(buyer, 'Login Successful')

  // A wallet's browser has the API, and fails.
  const inWallet = await product.arrive({
    userAgent: 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36 MetaMaskMobile',
  })
  await inWallet.page.goto('/auth')
  await inWallet.page.getByRole('button', { name: 'Login', exact: true }).waitFor()
  expect(await inWallet.page.getByRole('button', { name: /passkey/i }).count()).toBe(0)
})

test('an administrator adds two passkeys, switches codes off, and logs in with a passkey', async () => {
  await product.setUp()
  const administrator = await product.openBackOffice({ tab: 'settings' })
  const { page, context } = administrator
  const post = async (path: string, data: object = {}) =>
    (await (await context.request.post(path, { data })).json()) as Record<string, string>
  const { secret } = await post('/api/admin/otp/setup')
  const codeIn = (steps: number) => generate({ secret: secret!, epoch: Math.floor(Date.now() / 1_000) + 30 * steps })
  await post('/api/admin/otp/enable', { secret, token: await codeIn(-1) })
  await page.reload()

  const passkeys = card(administrator, 'Admin passkeys')
  const add = async (name: string) => {
    await passkeys.getByRole('button', { name: 'Add a passkey' }).press('Enter')
    await page.getByLabel('Name (optional)').fill(name)
  }
  const create = () => page.getByRole('button', { name: 'Create passkey' }).click()
  const laptop = await plugIn(page)
  await add('Laptop')
  // The authenticator is newer than this login.
  await page.getByLabel('Your password').fill('administrator')
  await page.getByLabel('Current 6-digit code').fill(await codeIn(0))
  expect(await findFaults(page, 'adding an admin passkey')).toEqual([])
  await keepPictures(page, 'admin passkeys add')
  await create()
  await expectToast(administrator, 'Passkey Added')

  // One passkey is not enough.
  const authenticator = card(administrator, 'Admin authenticator')
  await authenticator.getByRole('button', { name: 'Disable OTP' }).click()
  const disabling = page.getByRole('dialog', { name: 'Disable OTP' })
  await disabling.getByLabel('Current 6-digit code').fill(await codeIn(1))
  await disabling.getByRole('button', { name: 'Disable OTP' }).click()
  await expectToast(
    administrator,
    'OTP Disable Failed',
    'Codes can be switched off once there are two passkeys. Please add another one, or remove the one you have.',
  )
  forgetRefusals(administrator, 409)
  await page.keyboard.press('Escape')

  // The second is a security key, confirmed by the first.
  await add('Security key')
  await page.getByRole('button', { name: 'Confirm with a passkey instead' }).click()
  await keepPictures(page, 'admin passkeys confirm')
  const options = page.waitForResponse('**/api/admin/passkeys/options')
  const securityKey = await plugIn(page, 'usb')
  await create()
  await options
  await expectToast(administrator, 'Passkey Added')
  await passkeys.getByText('Security key').waitFor()
  expect(await findFaults(page, 'admin passkeys')).toEqual([])
  await passkeys.scrollIntoViewIfNeeded()
  await keepPictures(page, 'admin passkeys card')

  await authenticator.getByRole('button', { name: 'Disable OTP' }).click()
  await disabling.getByText('The login will no longer accept codes').waitFor()
  await keepPictures(page, 'admin passkeys codes off')
  await disabling.getByLabel('Current 6-digit code').fill(await codeIn(1))
  await disabling.getByRole('button', { name: 'Disable OTP' }).click()
  await expectToast(administrator, 'OTP Disabled', 'The administrator login requires the password and a passkey.')
  await authenticator.getByText('Enhanced (password plus passkey)').waitFor()

  // The only owner confirms what would need a second one. Nothing that was typed is lost.
  await card(administrator, 'Node price').getByLabel('Price of one node (USDT)').fill('4')
  await page.keyboard.press('Enter')
  const change = page.getByRole('dialog', { name: 'Change the node price?' })
  await change.getByLabel('Reason').fill('Decided in the weekly meeting')
  await keepPictures(page, 'admin decision')
  await change.getByRole('button', { name: 'Change the price' }).click()
  const prompt = page.getByRole('dialog', { name: "Confirm that it's you" })
  await prompt.getByRole('button', { name: 'Confirm', exact: true }).waitFor()
  expect(await findFaults(page, 'confirming a decision')).toEqual([])
  await keepPictures(page, 'admin decision confirm')
  await page.keyboard.press('Escape')
  await prompt.waitFor({ state: 'detached' })
  expect(await change.getByLabel('Reason').inputValue()).toBe('Decided in the weekly meeting')
  await change.getByRole('button', { name: 'Change the price' }).click()
  await prompt.getByRole('button', { name: 'Confirm', exact: true }).press('Enter')
  await expectToast(administrator, 'System Settings Updated', 'A node costs 4 USDT.')
  forgetRefusals(administrator, 400)

  // Neither of the two can go now.
  await passkeys.getByRole('button', { name: 'Remove the passkey Laptop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click()
  await expectToast(
    administrator,
    'Passkey Not Removed',
    'Codes are switched off, so two passkeys must remain. Please add another one or set up codes first.',
  )
  forgetRefusals(administrator, 409)

  await forgetLogin(administrator)
  await page.goto('/admin1')
  await page.getByLabel('Username').fill('root')
  await page.getByLabel('Password', { exact: true }).fill('administrator')
  await page.keyboard.press('Enter')
  await expectToast(administrator, 'Password Verified', 'Please use a passkey')
  await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
  expect(await findFaults(page, 'admin login by passkey')).toEqual([])
  await keepPictures(page, 'admin passkeys login')
  for (const one of [laptop, securityKey]) await one.verify(false)
  await page.getByRole('button', { name: 'Use a passkey' }).press('Enter')
  await expectToast(administrator, 'Passkey Login Failed')
  for (const one of [laptop, securityKey]) await one.verify(true)
  await page.getByRole('button', { name: 'Use a passkey' }).press('Enter')
  await page.getByRole('heading', { name: 'admin dashboard' }).waitFor()

  // Without the API the login says what to do.
  const old = await product.arrive()
  await old.context.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'))
  await old.page.goto('/admin1')
  await old.page.getByLabel('Username').fill('root')
  await old.page.getByLabel('Password', { exact: true }).fill('administrator')
  await old.page.keyboard.press('Enter')
  await old.page.getByText('This browser cannot use passkeys').waitFor()
  await keepPictures(old.page, 'admin passkeys login without API')
})
