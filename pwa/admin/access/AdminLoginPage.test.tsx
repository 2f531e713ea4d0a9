import { act, renderHook, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { acceptInvitation } from '#shared/contract/admin/administrators.ts'
import { adminLogin, adminLoginStatus, adminVerifyOtp } from '#shared/contract/admin/login.ts'
import { answerBackOffice } from '#pwa/testing/adminAnswers.ts'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { CurrentPage } from '#pwa/app/pages.tsx'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'
import { useDraft } from '../useDraft.ts'

const api = useFakeApi()

function open({ requiresOtp = false, at = '/admin1' } = {}) {
  answerCommonCalls(api)
  const session = answerBackOffice(api, { isLoggedIn: false })
  const tried: unknown[] = []
  api.answer(adminLogin, ({ body }) => {
    tried.push(body)
    if (body.password !== 'correct horse') throw refusal(400, 'invalid_credentials', 'That name or password is not right.')
    session.isLoggedIn = !requiresOtp
    return { requiresOtp, factors: requiresOtp ? ['code' as const] : [], message: 'ok' }
  })
  api.answer(adminVerifyOtp, ({ body }) => {
    if (body.token !== '123456') throw refusal(400, 'otp_invalid', 'That code is not right.')
    session.isLoggedIn = true
    return { message: 'ok' }
  })
  return { ...renderPage(<AdminArea />, { at }), session, tried }
}

const username = () => screen.findByLabelText('Username')
const password = () => screen.getByLabelText('Password')
const code = () => screen.findByLabelText('6-digit code')
const press = (name: string) => screen.getByRole('button', { name })

const loseConnection = () => vi.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('Failed to fetch'))

async function enterPassword({ person }: ReturnType<typeof open>, text = 'correct horse') {
  await person.type(await username(), 'keeper')
  await person.type(password(), `${text}{Enter}`)
}

test('name and password open the panel, with the Enter key', async () => {
  const page = open()
  await enterPassword(page)

  expect(await screen.findByText('Login Successful')).toBeVisible()
  expect(screen.getByText('Welcome')).toBeVisible()
  await waitFor(() => expect(page.location()).toBe('/admin-panel'))
  expect(await screen.findByRole('heading', { name: 'admin dashboard' })).toBeVisible()
  expect(page.tried).toEqual([{ username: 'keeper', password: 'correct horse' }])
})

test('what another administrator typed before their session ended is gone after the login', async () => {
  const { result: draft } = renderHook(() => useDraft('note of an account', ''))
  act(() => draft.current[1]('He called on Monday.'))
  await enterPassword(open())
  expect(await screen.findByRole('heading', { name: 'admin dashboard' })).toBeVisible()
  expect(draft.current[0]).toBe('')
})

test.each([
  ['the same administrator finds', 'keeper', 'He called on Monday.'],
  ['another one does not find', 'dora', ''],
])('%s what was typed before the session ended and the page was loaded again', async (_, owner, text) => {
  sessionStorage.setItem('admin_drafts', JSON.stringify({ owner, texts: { 'note of an account': 'He called on Monday.' } }))
  const { result: draft } = renderHook(() => useDraft('note of an account', ''))
  await enterPassword(open())
  expect(await screen.findByRole('heading', { name: 'admin dashboard' })).toBeVisible()
  expect(draft.current[0]).toBe(text)
  act(() => draft.current[1]('On Tuesday.'))
  expect(sessionStorage.getItem('admin_drafts')).toBe('{"owner":"keeper","texts":{"note of an account":"On Tuesday."}}')
})

test('the requested view is shown after the login', async () => {
  const page = open({ at: '/admin-panel?tab=audit' })
  expect(await screen.findByText('Admin Login Required')).toBeVisible()
  expect(page.location()).toBe('/admin1')
  await enterPassword(page)

  await waitFor(() => expect(page.location()).toBe('/admin-panel?tab=audit'))
})

test('both fields are required, and spaces count as empty', async () => {
  const { person, tried } = open()
  await person.type(await username(), '  ')
  await person.type(password(), 'something')
  await person.click(press('Continue'))

  expect(await screen.findByText('Input Required')).toBeVisible()
  expect(screen.getByText('Please enter both username and password.')).toBeVisible()
  expect(tried).toEqual([])
})

test("a refusal shows the server's message, or a fallback without one", async () => {
  const page = open()
  await enterPassword(page, 'wrong')
  expect(await screen.findByText('Login Failed')).toBeVisible()
  expect(screen.getByText('That name or password is not right.')).toBeVisible()

  api.answer(adminLogin, () => {
    throw refusal(400, 'invalid_credentials', undefined as never)
  })
  await page.person.click(press('Continue'))
  expect(await screen.findByText('Invalid credentials')).toBeVisible()

  loseConnection()
  await page.person.click(press('Continue'))
  expect(await screen.findByText('An error occurred during login. Please try again.')).toBeVisible()
  expect(screen.getByText('Login Failed')).toBeVisible()
})

test('with an authenticator the code follows the password', async () => {
  const page = open({ requiresOtp: true })
  await enterPassword(page)

  expect(await screen.findByText('Password Verified')).toBeVisible()
  expect(screen.getByText('Please enter authenticator code')).toBeVisible()
  expect(await code()).toHaveFocus()
  expect(page.location()).toBe('/admin1')

  await page.person.type(await code(), '12a3 456{Enter}')
  expect(await screen.findByText('Login Successful')).toBeVisible()
  await waitFor(() => expect(page.location()).toBe('/admin-panel'))
})

test('a code is required, with six digits, and a wrong one is reported', async () => {
  const page = open({ requiresOtp: true })
  const { person } = page
  await enterPassword(page)
  await code()

  await person.click(press('Verify & Sign In'))
  expect(await screen.findByText('OTP Required')).toBeVisible()
  expect(screen.getByText('Please enter your 6-digit verification code.')).toBeVisible()

  await person.type(await code(), '123{Enter}')
  expect(await screen.findByText('Invalid Code')).toBeVisible()
  expect(screen.getByText('Please enter a valid 6-digit verification code.')).toBeVisible()

  await person.type(await code(), '000{Enter}')
  expect(await screen.findByText('OTP Verification Failed')).toBeVisible()
  expect(screen.getByText('That code is not right.')).toBeVisible()
  expect(await code()).toHaveValue('')

  api.answer(adminVerifyOtp, () => {
    throw refusal(400, 'otp_invalid', undefined as never)
  })
  await person.type(await code(), '000000{Enter}')
  expect(await screen.findByText('Invalid verification code')).toBeVisible()

  loseConnection()
  await person.type(await code(), '000000{Enter}')
  expect(await screen.findByText('Verification Failed')).toBeVisible()
  expect(screen.getByText('An error occurred during OTP verification. Please try again.')).toBeVisible()
})

test('Back to Login returns to the first step and clears the code', async () => {
  const page = open({ requiresOtp: true })
  await enterPassword(page)
  await page.person.type(await code(), '123')
  await page.person.click(press('Back to Login'))

  await enterPassword(page)
  expect(await code()).toHaveValue('')
})

test('an incomplete login that has expired starts over', async () => {
  const page = open({ requiresOtp: true })
  api.answer(adminVerifyOtp, () => {
    throw refusal(400, 'login_expired', 'That took too long. Please log in again.')
  })
  await enterPassword(page)
  await page.person.type(await code(), '123456{Enter}')

  expect(await screen.findByText('That took too long. Please log in again.')).toBeVisible()
  expect(await username()).toHaveValue('')
})

test('the page has a link home and a warning', async () => {
  open()
  expect(await screen.findByRole('link', { name: 'Back to Home' })).toHaveAttribute('href', '/')
  expect(screen.getByText('Access is restricted and monitored, and all admin activity is logged.')).toBeVisible()
})

test('Back to Home works at the first press, also in a new tab', async () => {
  answerCommonCalls(api)
  answerBackOffice(api, { isLoggedIn: false })
  const { person, location } = renderPage(<CurrentPage />, { at: '/admin1' })

  await person.click(await screen.findByRole('link', { name: 'Back to Home' }))
  await waitFor(() => expect(screen.queryByText('Administrator Login')).not.toBeInTheDocument())

  expect(location()).toBe('/')
  expect(screen.queryByText('Admin Login Required')).not.toBeInTheDocument()
})

test('a logged-in administrator is redirected to the panel', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  const { location } = renderPage(<AdminArea />, { at: '/admin1' })
  await waitFor(() => expect(location()).toBe('/admin-panel'))
})

test('if the login status fails to load the page says so, and the form stays', async () => {
  answerCommonCalls(api)
  api.answer(adminLoginStatus, () => {
    throw refusal(403, 'ip_not_allowed', 'The back office does not answer this address.')
  })
  renderPage(<AdminArea />, { at: '/admin1' })

  expect(await screen.findByText('Failed to check admin login status')).toBeVisible()
  expect(screen.getByText('The back office does not answer this address.')).toBeVisible()
  expect(screen.getByText('npm run admin -- clear-ips')).toBeVisible()
  expect(await username()).toBeVisible()
})

const INVITED = '/admin1#invitation=of-a-mail'
const join = async ({ person }: ReturnType<typeof open>, chosen = 'a long sentence') => {
  await person.type(await username(), 'dora')
  await person.type(password(), `${chosen}{Enter}`)
}

test('an invited person joins with a name and a password, and then logs in', async () => {
  const page = open({ at: INVITED })
  const sent: unknown[] = []
  api.answer(acceptInvitation, ({ body }) => {
    sent.push(body)
    return { message: 'ok', username: 'dora', role: 'finance' as const }
  })
  expect(await screen.findByRole('heading', { name: 'Join the back office' })).toBeVisible()
  await waitFor(() => expect(page.location(), 'the token has left the address bar').toBe('/admin1'))
  await join(page, 'short')
  expect(await screen.findByText('Password must be at least 8 characters long.')).toBeVisible()
  expect(sent).toEqual([])
  await page.person.type(password(), ' but longer{Enter}')
  expect(await screen.findByText('Log in as dora.')).toBeVisible()
  expect(sent).toEqual([{ token: 'of-a-mail', username: 'dora', password: 'short but longer' }])
  expect(await screen.findByRole('heading', { name: 'Administrator Login' })).toBeVisible()
})

test('an invitation that does not work says so', async () => {
  const page = open({ at: INVITED })
  api.answer(acceptInvitation, () => {
    throw refusal(410, 'invitation_invalid', 'This invitation has expired, was used or was withdrawn. Ask for a new one.')
  })
  await join(page)
  expect(await screen.findByText(/^This invitation has expired/)).toBeVisible()
  expect(password()).toHaveValue('a long sentence')
})
