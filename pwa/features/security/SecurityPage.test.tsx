import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { getAuthUser } from '#shared/contract/identity.ts'
import { disableOtp, enableOtp, otpStatus, renewRecoveryCodes, setupOtp, verifyOtp } from '#shared/contract/otp.ts'
import { changePassword } from '#shared/contract/password.ts'
import { changeProofKey, showProofKeys } from '#shared/contract/register.ts'
import { type AccountSession, endOtherSessions, listSessions } from '#shared/contract/sessions.ts'
import { answerCommonCalls, someUser } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { holdAnswerTimeout } from '#pwa/testing/holdAnswerTimeout.ts'
import { readShownSecret } from '#pwa/lib/shownSecret.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { SecurityPage } from './SecurityPage.tsx'

const api = useFakeApi()

const here: AccountSession = {
  id: 'here',
  device: 'Chrome on Linux',
  ip: '203.0.113.7',
  lastSeen: new Date('2026-11-20T07:31:00Z'),
  current: true,
}
const elsewhere: AccountSession = { ...here, id: 'there', device: 'Safari on iPhone', ip: '198.51.100.4', current: false }

/** ABCDE-AAAAA and so on. */
const codesOf = (letter: string): string[] => Array.from('ABCDEFGHJK', (last) => `ABCDE-${letter.repeat(4)}${last}`)

function setUp({ left = 0, register = false } = {}) {
  const serverState = { otpEnabled: left > 0, recoveryCodesLeft: left, isVerified: false, sessions: [here, elsewhere] }
  answerCommonCalls(api, { user: someUser(), config: { register } })
  api.answer(otpStatus, () => ({ otpEnabled: serverState.otpEnabled, recoveryCodesLeft: serverState.recoveryCodesLeft }))
  api.answer(setupOtp, () => ({ qrCode: 'data:image/png;base64,', manualEntryKey: 'JBSW Y3DP', secret: 'JBSWY3DP' }))
  const check = (token: string) => {
    if (token !== '123456' && token !== 'ABCDE-FGHJK') throw refusal(400, 'otp_invalid', 'That code is not right.')
    return { message: 'ok' }
  }
  api.answer(enableOtp, ({ body }) => ({ ...check(body.token), recoveryCodes: codesOf('N') }))
  api.answer(disableOtp, ({ body }) => check(body.token))
  api.answer(verifyOtp, ({ body }) => {
    check(body.token)
    serverState.isVerified = true
    if (body.token !== '123456') serverState.recoveryCodesLeft--
    return { message: 'ok' }
  })
  api.answer(renewRecoveryCodes, () => {
    if (!serverState.isVerified) throw refusal(403, 'otp_required', 'A code first.')
    return { codes: codesOf('M') }
  })
  api.answer(listSessions, () => serverState.sessions)
  api.answer(endOtherSessions, () => {
    serverState.sessions = [here]
    return { message: 'ok', ended: 1 }
  })
  return { serverState, ...renderPage(<SecurityPage />) }
}

const button = (name: string) => screen.findByRole('button', { name })
const toasts = () => within(screen.getByLabelText('Notifications'))
const codesDialog = () => screen.findByRole('dialog', { name: 'Save your recovery codes' })

async function startSetup({ person }: ReturnType<typeof setUp>) {
  await person.click(await button('Setup OTP'))
  await person.click(await button('Enable OTP Authentication'))
}

async function enable(page: ReturnType<typeof setUp>) {
  await startSetup(page)
  await page.person.type(await screen.findByLabelText('6-digit code'), '123456{Enter}')
  await screen.findByText('Your authenticator is on.')
}

test('a visitor is asked to log in, and no personal data is requested', async () => {
  answerCommonCalls(api)
  renderPage(<SecurityPage />)

  expect(await screen.findByText('Login Required')).toBeVisible()
  expect(screen.getByText('Please log in to access security settings.')).toBeVisible()
})

test('the authenticator is set up with key and code, the dialog closes by itself, and recovery codes follow', async () => {
  const page = setUp()
  const { person } = page
  expect(await screen.findByText('Disabled')).toBeVisible()
  await startSetup(page)

  expect((await screen.findByText('Manual Entry Key')).nextElementSibling).toHaveTextContent('JBSWY3DP')
  expect(screen.getByAltText('QR code for your authenticator app')).toBeVisible()
  expect(await button('Verify & Enable')).toBeDisabled()

  await person.type(screen.getByLabelText('6-digit code'), '000000')
  await person.click(await button('Verify & Enable'))
  expect(await screen.findByText('Verification Failed')).toBeVisible()
  expect(screen.getByText('That code is not right.')).toBeVisible()

  // The field is empty and has the focus, for the next code.
  await person.keyboard('123456{Enter}')
  expect(await screen.findByText('OTP Enabled Successfully')).toBeVisible()
  expect(screen.getByText('Google Authenticator has been successfully enabled for your account.')).toBeVisible()

  const dialog = await codesDialog()
  expect(screen.queryByRole('dialog', { name: 'Security Settings' })).not.toBeInTheDocument()
  const shown = within(dialog).getAllByRole('listitem')
  expect(shown.map((code) => code.textContent)).toEqual(codesOf('N'))

  // Only confirming that the codes are saved closes the dialog; Escape does not.
  await person.keyboard('{Escape}')
  expect(dialog).toBeVisible()
  expect(await button('Continue')).toBeDisabled()
  await person.click(screen.getByRole('checkbox', { name: 'I have saved these codes in a safe place.' }))
  await person.click(await button('Continue'))

  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(screen.getByText('Enabled')).toBeVisible()
  expect(screen.getByText('10 of 10 left')).toBeVisible()
  expect(await button('Manage OTP')).toBeVisible()
})

test('closing the dialog before it closes by itself still shows the recovery codes', async () => {
  const page = setUp()
  await enable(page)
  await page.person.keyboard('{Escape}')

  expect(await codesDialog()).toBeVisible()
})

test('the dialog stays open while the code is checked, because only the answer has the recovery codes', async () => {
  const page = setUp()
  const check = Promise.withResolvers<void>()
  api.answer(enableOtp, async () => {
    await check.promise
    return { message: 'ok', recoveryCodes: codesOf('N') }
  })
  await startSetup(page)
  await page.person.type(await screen.findByLabelText('6-digit code'), '123456{Enter}')
  expect(await button('Back')).toBeDisabled()
  await page.person.keyboard('{Escape}')
  expect(screen.getByRole('dialog', { name: 'Security Settings' })).toBeVisible()
  check.resolve()

  expect(await codesDialog()).toBeVisible()
})

/** The server acts, and its answer does not arrive; or a proxy answers in its place. */
function loseAnswer(path: string, how: 'cut' | 'proxy' = 'cut') {
  const { fetch } = globalThis
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const response = await fetch(input, init)
    if (!response.url.endsWith(path)) return response
    if (how === 'proxy') return new Response('<h1>502 Bad Gateway</h1>', { status: 502 })
    throw new TypeError('Failed to fetch')
  })
  onTestFinished(() => spy.mockRestore())
}

test.for(['cut', 'proxy'] as const)(
  'an authenticator whose answer was lost (%s) may be on: its entry is to be kept until the status is checked',
  async (how) => {
    const page = setUp()
    const { person, serverState } = page
    loseAnswer(enableOtp.path, how)
    await startSetup(page)
    await person.type(await screen.findByLabelText('6-digit code'), '123456{Enter}')
    expect(await screen.findByText('No answer from the server')).toBeVisible()
    expect(screen.getByText(/Keep its entry in your app\./)).toBeVisible()
    expect(screen.queryByText('Verification Failed')).toBeNull()

    Object.assign(serverState, { otpEnabled: true, recoveryCodesLeft: 10 })
    await person.click(await button('Check now'))
    expect(await screen.findByText('10 of 10 left')).toBeVisible()
    expect(screen.queryByRole('dialog')).toBeNull()
  },
)

test('a check of the code that is never answered holds the dialog for half a minute', async () => {
  const page = setUp()
  const giveUp = holdAnswerTimeout()
  const isAsked = Promise.withResolvers<void>()
  api.answer(enableOtp, () => {
    isAsked.resolve()
    return new Promise(() => {})
  })
  await startSetup(page)
  await page.person.type(await screen.findByLabelText('6-digit code'), '123456{Enter}')
  await isAsked.promise
  expect(await button('Back')).toBeDisabled()

  giveUp()
  expect(await screen.findByText('No answer from the server')).toBeVisible()
  await page.person.click(await button('Check now'))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('the recovery codes are copied one per line, and saved in a file that names the account', async () => {
  const page = setUp()
  const { person } = page
  await enable(page)
  await codesDialog()

  await person.click(await button('Copy'))
  expect(await screen.findByText('Copied')).toBeVisible()
  expect(await navigator.clipboard.readText()).toBe(codesOf('N').join('\n'))

  const files: Blob[] = []
  vi.stubGlobal(
    'URL',
    Object.assign(URL, { createObjectURL: (file: Blob) => files.push(file) && 'blob:1', revokeObjectURL() {} }),
  )
  const save = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  await person.click(await button('Download'))
  expect(save).toHaveBeenCalledOnce()
  expect(await files[0]!.text()).toMatch(/^XCR Nodes: recovery codes for mara@example\.com\n.* UTC\n\nABCDE-NNNNA\n/)
})

test('a setup that cannot start shows an error', async () => {
  const page = setUp()
  api.answer(setupOtp, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  await startSetup(page)

  expect(await screen.findByText('Setup Failed')).toBeVisible()
  expect(screen.getByText('Failed to generate OTP setup data.')).toBeVisible()
})

test('a page that is discarded while its user is in the authenticator app names the secret it showed, until that is enabled', async () => {
  const named: (string | undefined)[] = []
  const open = () => {
    const page = setUp()
    api.answer(setupOtp, ({ body: { secret } }) => {
      named.push(secret)
      return { qrCode: 'data:image/png;base64,', manualEntryKey: 'JBSW Y3DP', secret: 'JBSWY3DP' }
    })
    return page
  }
  await startSetup(open())
  await screen.findByLabelText('6-digit code')
  cleanup()
  await enable(open())
  cleanup()
  await startSetup(open())
  await screen.findByLabelText('6-digit code')

  expect(named).toEqual([undefined, 'JBSWY3DP', undefined])
})

test('a secret that its page or another one enables is kept no longer, also if the answer is lost with the page', async () => {
  await startSetup(setUp())
  await screen.findByLabelText('6-digit code')
  expect(readShownSecret()).toEqual({ secret: 'JBSWY3DP' })
  cleanup()
  setUp({ left: 10 })
  await screen.findByText('10 of 10 left')
  expect(readShownSecret()).toEqual({})
})

test('Back leads from the setup to the status', async () => {
  const page = setUp()
  await startSetup(page)
  await page.person.click(await button('Back'))

  expect(await button('Enable OTP Authentication')).toBeVisible()
})

test('the authenticator is disabled with a code', async () => {
  const { person } = setUp({ left: 10 })
  await person.click(await button('Manage OTP'))
  expect(await button('Disable OTP')).toBeDisabled()

  await person.type(screen.getByLabelText('6-digit code'), '111111')
  await person.click(await button('Disable OTP'))
  expect(await screen.findByText('Disable Failed')).toBeVisible()
  await person.keyboard('١٢٣٤٥٦')
  await person.click(await button('Disable OTP'))

  expect(await screen.findByText('OTP Disabled')).toBeVisible()
  expect(await screen.findByText('Disabled')).toBeVisible()
  expect(screen.queryByText('Recovery codes')).not.toBeInTheDocument()
})

test('after a lost answer to disabling it, the page shows what the authenticator is now', async () => {
  const { person, serverState } = setUp({ left: 10 })
  await person.click(await button('Manage OTP'))
  await person.type(await screen.findByLabelText('6-digit code'), '123456')
  loseAnswer(disableOtp.path)
  Object.assign(serverState, { otpEnabled: false, recoveryCodesLeft: 0 })
  await person.click(await button('Disable OTP'))

  expect(await toasts().findByText(/It may have been done/)).toBeVisible()
  expect(toasts().queryByText('Disable Failed')).not.toBeInTheDocument()
  expect(await button('Enable OTP Authentication')).toBeVisible()
})

test('without the phone it is disabled with a recovery code in any spelling', async () => {
  const { person } = setUp({ left: 10 })
  await person.click(await button('Manage OTP'))
  await person.click(await button('Use a recovery code'))

  await person.type(screen.getByLabelText('Recovery code'), 'abcde fgh')
  expect(await button('Disable OTP')).toBeDisabled()
  await person.type(screen.getByLabelText('Recovery code'), 'jk')
  await person.click(await button('Disable OTP'))

  expect(await screen.findByText('OTP Disabled')).toBeVisible()
})

test('an empty code is reported', async () => {
  const page = setUp()
  await startSetup(page)
  await page.person.type(await screen.findByLabelText('6-digit code'), '12{Enter}')

  expect(await screen.findByText('Invalid Input')).toBeVisible()
  expect(screen.getByText('Please enter the 6-digit verification code.')).toBeVisible()
})

test('new recovery codes replace the remaining ones after a code', async () => {
  const { person, serverState } = setUp({ left: 2 })
  expect(await screen.findByText('Only 2 of 10 left')).toBeVisible()
  await person.click(await button('New recovery codes'))
  await person.click(await button('Use a recovery code'))
  await person.type(screen.getByLabelText('Recovery code'), 'ABCDE-FGHJK{Enter}')

  const dialog = await codesDialog()
  expect(within(dialog).getByText('ABCDE-MMMMA')).toBeVisible()
  expect(serverState.recoveryCodesLeft).toBe(1)
  serverState.recoveryCodesLeft = 10
  await person.click(screen.getByRole('checkbox'))
  await person.click(await button('Continue'))
  expect(await screen.findByText('10 of 10 left')).toBeVisible()
})

test('a planned removal of the authenticator is shown, and a code cancels it', async () => {
  const { person, queryClient } = setUp({ left: 10 })
  const status = { otpEnabled: true, recoveryCodesLeft: 10 }
  api.answer(otpStatus, () => ({ ...status, resetsAt: new Date('2026-11-28T22:12:00Z') }))
  await queryClient.invalidateQueries({ queryKey: [otpStatus.path] })
  expect(await screen.findByText('Your authenticator will be removed')).toBeVisible()
  expect(screen.getByText(/That happens on 28 Nov 2026, 22:12 UTC\./)).toBeVisible()

  await person.click(await button('Keep authenticator'))
  api.answer(otpStatus, () => status)
  await person.type(await screen.findByLabelText('Digit 1 of 6'), '123456')
  expect(await screen.findByText('Authenticator kept')).toBeVisible()
  await waitFor(() => expect(screen.queryByText('Your authenticator will be removed')).not.toBeInTheDocument())
})

test.each([
  [undefined, /freeze your account below and contact us\.$/],
  [{ thawsAt: null }, /If you didn't ask for this, contact us\.$/],
])('a planned removal offers to freeze the account only while it is not frozen: %o', async (frozen, text) => {
  setUp({ left: 10 })
  api.answer(getAuthUser, () => someUser({ ...(frozen && { frozen }) }))
  api.answer(otpStatus, () => ({ otpEnabled: true, recoveryCodesLeft: 10, resetsAt: new Date('2026-11-28T22:12:00Z') }))
  expect(await screen.findByText(text)).toBeVisible()
  expect(screen.queryAllByRole('button', { name: 'Freeze account' })).toHaveLength(frozen ? 0 : 1)
})

test('the browser asks before a page is left whose recovery codes are not saved yet', async () => {
  const isAsked = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  const { person } = setUp({ left: 2 })
  await person.click(await button('New recovery codes'))
  expect(isAsked()).toBe(false)
  await person.type(await screen.findByLabelText('Digit 1 of 6'), '123456')

  await codesDialog()
  expect(isAsked()).toBe(true)
  await person.click(screen.getByRole('checkbox'))
  expect(isAsked()).toBe(false)
})

test.for(['cut', 'proxy'] as const)(
  'after new recovery codes whose answer was lost (%s) nobody is told that the old ones still work',
  async (how) => {
    const { person, serverState } = setUp({ left: 2 })
    loseAnswer(renewRecoveryCodes.path, how)
    await person.click(await button('New recovery codes'))
    await person.type(await screen.findByLabelText('Digit 1 of 6'), '123456')
    serverState.recoveryCodesLeft = 10

    expect(await screen.findByText('Your old recovery codes may no longer work. Generate new ones.')).toBeVisible()
    expect(await screen.findByText('10 of 10 left')).toBeVisible()
    expect(screen.queryByText(/still work/)).toBeNull()
  },
)

const keyOf = (letter: string) => `${letter.repeat(43)}=`

test('the proof key is shown and replaced, each after a code, with its earlier keys', async () => {
  const { person, serverState } = setUp({ left: 10, register: true })
  const answer = (letter: string, earlier: string[]) => () => {
    if (!serverState.isVerified) throw refusal(403, 'otp_required', 'A code first.')
    serverState.isVerified = false
    return { proofKey: keyOf(letter), earlier: earlier.map(keyOf), email: 'mara@example.com' }
  }
  api.answer(showProofKeys, answer('A', []))
  api.answer(changeProofKey, answer('B', ['A']))
  await person.click(await button('Show key'))
  await person.type(await screen.findByLabelText('Digit 1 of 6'), '123456')
  const dialog = () => screen.findByRole('dialog', { name: 'Your proof key' })
  expect(within(await dialog()).getByText(keyOf('A'))).toBeVisible()
  expect(within(await dialog()).queryByText(/Earlier keys/)).toBeNull()
  await person.keyboard('{Escape}')

  await person.click(await button('Replace key'))
  await person.type(await screen.findByLabelText('Digit 1 of 6'), '123456')
  expect(await within(await dialog()).findByText(keyOf('B'))).toBeVisible()
  expect(within(await dialog()).getByText(keyOf('A'))).toBeVisible()
})

test('without the register there is no proof key', async () => {
  setUp({ left: 10 })
  expect(await screen.findByText('10 of 10 left')).toBeVisible()
  expect(screen.queryByText('Proof Key')).toBeNull()
})

const field = (name: string) => screen.findByLabelText(name)

async function fillPasswords({ person }: ReturnType<typeof setUp>, current: string, next: string, confirmation = next) {
  for (const [name, value] of [
    ['Current Password', current],
    ['New Password', next],
    ['Confirm New Password', confirmation],
  ] as const) {
    await person.clear(await field(name))
    if (value) await person.type(await field(name), value)
  }
}

test('each broken password rule is reported in order, without a request', async () => {
  const page = setUp()
  const asked = vi.fn(() => ({ message: 'ok' }))
  api.answer(changePassword, asked)

  for (const [current, next, confirmation, text] of [
    ['', 'New&Pass1', 'New&Pass1', 'Please enter your current password.'],
    ['old', 'short', 'shorter', 'New password and confirmation password do not match.'],
    ['old', 'short', 'short', 'New password must be at least 8 characters long.'],
    ['old', 'lowercase', 'lowercase', 'Password must contain at least one uppercase letter.'],
    ['old', 'UPPERCASE', 'UPPERCASE', 'Password must contain at least one lowercase letter.'],
    ['old', 'UPPERlower', 'UPPERlower', 'Password must contain at least one number.'],
    ['old', 'UPPERlower1', 'UPPERlower1', 'Password must contain at least one special character (!@#$%^&*(),.?":{}|<>).'],
  ] as const) {
    await fillPasswords(page, current, next, confirmation)
    await page.person.click(await button('Change Password'))
    await waitFor(() => expect(toasts().getByText(text)).toBeVisible())
    expect(toasts().getByText('Password Change Failed')).toBeVisible()
  }
  expect(asked).not.toHaveBeenCalled()
})

test('a differing confirmation is reported while typing', async () => {
  const { person } = setUp()
  await person.type(await field('New Password'), 'New&Pass1')
  await person.type(await field('Confirm New Password'), 'New')
  expect(screen.getByText('Passwords do not match.')).toBeVisible()

  await person.type(await field('Confirm New Password'), '&Pass1')
  expect(screen.queryByText('Passwords do not match.')).not.toBeInTheDocument()
})

test("a password is changed, and a wrong one shows the server's message", async () => {
  const page = setUp()
  api.answer(changePassword, ({ body }) => {
    if (body.currentPassword !== 'old') throw refusal(400, 'invalid_credentials', 'Your current password is not right.')
    return { message: 'ok' }
  })
  await fillPasswords(page, 'wrong', 'New&Pass1')
  await page.person.click(await button('Change Password'))
  expect(await screen.findByText('Password Change Failed')).toBeVisible()
  expect(screen.getByText('Your current password is not right.')).toBeVisible()

  page.serverState.sessions = [here]
  await fillPasswords(page, 'old', 'New&Pass1')
  await page.person.click(await button('Change Password'))
  expect(await screen.findByText('Password Changed Successfully')).toBeVisible()
  expect(await field('New Password')).toHaveValue('')
  await waitFor(() => expect(screen.queryByText('Safari on iPhone')).not.toBeInTheDocument())
})

test.for(['cut', 'proxy'] as const)('a password whose answer was lost (%s) may have been changed', async (how) => {
  const page = setUp()
  api.answer(changePassword, () => ({ message: 'ok' }))
  loseAnswer(changePassword.path, how)
  await fillPasswords(page, 'old', 'New&Pass1')
  await page.person.click(await button('Change Password'))

  expect(await screen.findByText('No answer from the server')).toBeVisible()
  expect(screen.getByText('Your password may have been changed. Try the new one first.')).toBeVisible()
})

test('a wrong current password is where the focus goes', async () => {
  const page = setUp()
  api.answer(changePassword, () => {
    throw refusal(400, 'invalid_credentials', 'The current password is incorrect.')
  })
  await fillPasswords(page, 'wrong', 'N3w-secret!')
  await page.person.click(await button('Change Password'))

  expect(await screen.findByText('The current password is incorrect.')).toBeVisible()
  expect(await field('Current Password')).toHaveFocus()
  expect(await field('New Password')).toHaveValue('N3w-secret!')
})

test('each password can be shown', async () => {
  const { person } = setUp()
  await person.type(await field('Current Password'), 'old')
  expect(await field('Current Password')).toHaveAttribute('type', 'password')
  await person.click(screen.getAllByRole('button', { name: 'Show password' })[0]!)

  expect(await field('Current Password')).toHaveAttribute('type', 'text')
  expect(screen.getAllByRole('button', { name: 'Show password' })).toHaveLength(2)
})

test('the sessions are listed, and all others can be ended', async () => {
  const { person } = setUp()
  const rows = await screen.findAllByText(/^Last seen/)
  expect(rows).toHaveLength(2)
  const current = (await screen.findByText('This device')).closest('li')!
  expect(current).toHaveTextContent('Chrome on Linux')
  expect(current).toHaveTextContent('203.0.113.7')
  expect(current).toHaveTextContent('Last seen 20 Nov 2026, 07:31 UTC')

  await person.click(await button('Log out everywhere else'))
  expect(await screen.findByText('Logged Out Everywhere Else')).toBeVisible()
  await waitFor(() => expect(screen.queryByText('Safari on iPhone')).not.toBeInTheDocument())
  expect(screen.queryByRole('button', { name: 'Log out everywhere else' })).not.toBeInTheDocument()
})
