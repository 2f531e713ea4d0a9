import { act, cleanup, screen, waitFor } from '@testing-library/react'
import { Route, Routes, useNavigate } from 'react-router-dom'
import { expect, test, vi } from 'vitest'
import { captchaChallenge, verifyCaptcha } from '#shared/contract/captcha.ts'
import { getAuthUser, login, register, sendVerificationCode, verifyCode } from '#shared/contract/identity.ts'
import { forgotPassword, resetPassword } from '#shared/contract/password.ts'
import { getConfig } from '#shared/contract/settings.ts'
import { isBusy } from '#pwa/lib/busy.ts'
import { someConfig, someUser } from '#pwa/testing/answers.ts'
import { findAltcha } from '#pwa/testing/fakeAltcha.ts'
import { proxyAnswer, refusal, unauthorized, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { resetStores } from '#pwa/testing/zustand.ts'
import { AuthPage } from './AuthPage.tsx'

vi.mock('altcha/external', () => import('#pwa/testing/fakeAltcha.ts'))
vi.mock('altcha/workers/pbkdf2?worker', () => ({ default: class {} }))

const api = useFakeApi()

function setUp({ page = <AuthPage />, at = '/auth' } = {}) {
  const serverState = { isLoggedIn: false, codesSent: 0 }
  api.answer(getAuthUser, () => {
    if (!serverState.isLoggedIn) throw unauthorized()
    return someUser()
  })
  api.answer(login, ({ body }) => {
    if (body.password !== 'right') throw refusal(400, 'invalid_credentials', 'The email address or the password is wrong.')
    serverState.isLoggedIn = true
    return { email: body.email }
  })
  api.answer(sendVerificationCode, () => {
    serverState.codesSent++
    return { message: 'sent', expiresInSeconds: 600 }
  })
  api.answer(verifyCode, ({ body }) => {
    if (body.code !== '123456') throw refusal(400, 'code_invalid', 'That code is not right.')
    return { message: 'ok' }
  })
  api.answer(register, ({ body }) => {
    serverState.isLoggedIn = true
    return { email: body.email }
  })
  api.answer(getConfig, () => someConfig())
  api.answer(captchaChallenge, () => ({}))
  api.answer(verifyCaptcha, () => ({ message: 'ok' }))
  return { serverState, ...renderPage(page, { at }) }
}

const button = (name: string) => screen.getByRole('button', { name })

async function requestCode({ person }: ReturnType<typeof setUp>) {
  await person.click(screen.getByRole('tab', { name: 'Sign Up' }))
  await person.clear(screen.getByLabelText('Email'))
  await person.type(screen.getByLabelText('Email'), 'Mara@Example.com ')
  await person.click(button('Send Verification Code'))
  await screen.findByLabelText('Verification Code')
}

const pass = (seconds: number) => act(() => void vi.advanceTimersByTime(seconds * 1_000))

test('logging in shows a welcome and opens the dashboard', async () => {
  const { person, location } = setUp()

  await person.type(screen.getByLabelText('Email'), 'mara@example.com')
  await person.type(screen.getByLabelText('Password'), 'right')
  await person.click(button('Login'))

  expect(await screen.findByText('Login Successful')).toBeVisible()
  await waitFor(() => expect(location()).toBe('/'))
})

function AnotherPage() {
  const navigate = useNavigate()
  return (
    <>
      <button type="button" onClick={() => void navigate('/auth')}>
        To the login
      </button>
      <button type="button" onClick={() => void navigate(-1)}>
        Back
      </button>
    </>
  )
}

test('one Back leads from the dashboard to the page before the login', async () => {
  const page = (
    <Routes>
      <Route path="/auth" element={<AuthPage />} />
      <Route path="*" element={<AnotherPage />} />
    </Routes>
  )
  const { person, location } = setUp({ page, at: '/purchase' })
  await person.click(button('To the login'))
  await person.type(await screen.findByLabelText('Email'), 'mara@example.com')
  await person.type(screen.getByLabelText('Password'), 'right{Enter}')
  await waitFor(() => expect(location()).toBe('/'))
  await person.click(button('Back'))
  await waitFor(() => expect(location()).toBe('/purchase'))
})

test('an empty form marks both fields and sends no request', async () => {
  const { person } = setUp()

  await person.click(button('Login'))

  expect(await screen.findByText('Please enter a valid email')).toBeVisible()
  expect(screen.getByText('Please enter password')).toBeVisible()
})

test("a wrong password shows the server's message, and the form stays", async () => {
  const { person, location } = setUp()

  await person.type(screen.getByLabelText('Email'), 'mara@example.com')
  await person.type(screen.getByLabelText('Password'), 'wrong')
  await person.click(button('Login'))

  expect(await screen.findByText('Login Failed')).toBeVisible()
  expect(screen.getByText('The email address or the password is wrong.')).toBeVisible()
  expect(location()).toBe('/auth')
})

test('a code can be resent only after sixty seconds', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  const page = setUp()
  await requestCode(page)

  expect(screen.getByRole('timer')).toHaveTextContent('1:00')
  pass(1)
  expect(screen.getByRole('timer')).toHaveTextContent('0:59')
  pass(58)
  expect(screen.getByRole('timer')).toHaveTextContent('0:01')
  expect(screen.queryByRole('button', { name: 'Resend Code' })).not.toBeInTheDocument()
  pass(1)

  await page.person.click(button('Resend Code'))
  await waitFor(() => expect(page.serverState.codesSent).toBe(2))
  expect(await screen.findByRole('timer')).toHaveTextContent('1:00')
})

test('who goes back for another address begins in its field', async () => {
  const page = setUp()
  await requestCode(page)
  await page.person.click(button('Use another address'))
  expect(screen.getByLabelText('Email')).toHaveFocus()
})

test('signing up goes from the code to the password and the dashboard', async () => {
  const page = setUp()
  const { person } = page
  await requestCode(page)
  expect(screen.getByText('Verification Code Sent')).toBeVisible()

  await person.type(screen.getByLabelText('Verification Code'), '12a34b567')
  expect(screen.getByLabelText('Verification Code')).toHaveValue('123456')
  await person.click(button('Verify Code'))
  expect(await screen.findByText('Email Verified')).toBeVisible()

  await person.type(screen.getByLabelText('Password'), 'weakness')
  await person.click(button('Complete Sign Up'))
  expect(await screen.findByText('Password must contain uppercase, lowercase, numbers, and special characters')).toBeVisible()
  expect(screen.getByText('Please enter password confirmation')).toBeVisible()

  await person.clear(screen.getByLabelText('Password'))
  await person.type(screen.getByLabelText('Password'), 'Str0ng&Safe')
  await person.type(screen.getByLabelText('Confirm Password'), 'Str0ng&Saf')
  expect(await screen.findByText('Passwords do not match')).toBeVisible()
  await person.type(screen.getByLabelText('Confirm Password'), 'e')
  await person.click(button('Complete Sign Up'))

  expect(await screen.findByText('Registration Successful')).toBeVisible()
  await waitFor(() => expect(page.location()).toBe('/'))
})

test('the Sign Up tab starts at the email address again, with a link back to the sent code', async () => {
  const page = setUp()
  await requestCode(page)

  await page.person.click(screen.getByRole('tab', { name: 'Login' }))
  await page.person.click(screen.getByRole('tab', { name: 'Sign Up' }))

  expect(screen.getByRole('button', { name: 'Send Verification Code' })).toBeVisible()
  expect(screen.getByLabelText('Email')).toHaveValue('mara@example.com')
  await page.person.click(button('Enter the code for mara@example.com'))
  await page.person.type(screen.getByLabelText('Verification Code'), '123456{Enter}')
  expect(await screen.findByLabelText('Confirm Password')).toBeVisible()

  // The code is already verified: after a visit elsewhere the next step is the password.
  await page.person.click(screen.getByRole('tab', { name: 'Login' }))
  await page.person.click(screen.getByRole('tab', { name: 'Sign Up' }))
  await page.person.click(button('Set the password for mara@example.com'))
  expect(screen.getByLabelText('Confirm Password')).toBeVisible()
})

test.each([
  ['the login', 'Login'],
  ['the sign-up', 'Sign Up'],
])('the address typed at %s is there after a reload, until its user is logged in, and never the password', async (_, tab) => {
  const before = setUp()
  await before.person.click(screen.getByRole('tab', { name: tab }))
  await before.person.type(screen.getByLabelText('Email'), 'mara@example.com')
  await before.person.click(screen.getByRole('tab', { name: 'Login' }))
  await before.person.type(screen.getByLabelText('Password'), 'right')
  cleanup()
  act(resetStores)

  const { person, location } = setUp()
  expect(screen.getByLabelText('Email')).toHaveValue('mara@example.com')
  expect(screen.getByLabelText('Password')).toHaveValue('')
  await person.type(screen.getByLabelText('Password'), 'right{Enter}')
  await waitFor(() => expect(location()).toBe('/'))
  expect(Object.values(sessionStorage).join()).not.toMatch(/mara|right/)
})

test('a code that was sent is entered after the phone has discarded the tab', async () => {
  const page = setUp()
  await requestCode(page)

  act(resetStores)
  await page.person.click(screen.getByRole('tab', { name: 'Login' }))
  await page.person.click(screen.getByRole('tab', { name: 'Sign Up' }))
  await page.person.click(button('Enter the code for mara@example.com'))
  await page.person.type(screen.getByLabelText('Verification Code'), '123456{Enter}')
  await page.person.type(await screen.findByLabelText('Password'), 'Str0ng&Safe')
  await page.person.type(screen.getByLabelText('Confirm Password'), 'Str0ng&Safe')
  expect(Object.values(sessionStorage).join()).toContain('mara@example.com')
  expect(Object.values(sessionStorage).join()).not.toContain('Str0ng&Safe')
  await page.person.click(button('Complete Sign Up'))
  await waitFor(() => expect(page.location()).toBe('/'))
  expect(Object.values(sessionStorage).join()).not.toContain('mara@example.com')
})

test('the page of a sign-up that is under way opens at it again, until the user chooses otherwise', async () => {
  await requestCode(setUp())
  cleanup()
  act(resetStores)

  const page = setUp()
  expect(await screen.findByRole('heading', { name: 'Create your account' })).toBeVisible()
  expect(button('Enter the code for mara@example.com')).toBeVisible()
  await page.person.click(screen.getByRole('tab', { name: 'Login' }))
  expect(await screen.findByRole('heading', { name: 'Welcome back' })).toBeVisible()
})

test('the same address leads to the code already sent, also after the page was closed', async () => {
  const page = setUp()
  api.answer(sendVerificationCode, () => {
    throw refusal(429, 'code_cooldown', 'Please wait 40 seconds before you request another code.', { secondsLeft: '40' })
  })
  await page.person.click(screen.getByRole('tab', { name: 'Sign Up' }))
  await page.person.type(screen.getByLabelText('Email'), 'mara@example.com{Enter}')

  expect(await screen.findByLabelText('Verification Code')).toBeVisible()
  expect(screen.getByRole('timer')).toHaveTextContent(/0:(40|39)/)
  expect(screen.queryByText('Failed to Send Code')).not.toBeInTheDocument()
})

test('a logged-in user is redirected to the dashboard', async () => {
  const page = setUp()
  page.serverState.isLoggedIn = true

  await waitFor(() => expect(page.location()).toBe('/'))
})

test("each failure of signing up shows the server's message", async () => {
  const page = setUp()
  const { person } = page
  const words = 'Something is not right.'
  for (const endpoint of [sendVerificationCode, register] as const)
    api.answer(endpoint, () => {
      throw refusal(400, 'invalid_request', words)
    })
  await person.click(screen.getByRole('tab', { name: 'Sign Up' }))
  await person.type(screen.getByLabelText('Email'), 'mara@example.com{Enter}')
  expect(await screen.findByText('Failed to Send Code')).toBeVisible()
  expect(screen.getByText(words)).toBeVisible()

  api.answer(sendVerificationCode, () => ({ message: 'sent', expiresInSeconds: 600 }))
  await person.type(screen.getByLabelText('Email'), '{Enter}')
  await person.type(await screen.findByLabelText('Verification Code'), '12345{Enter}')
  // Below the field and in a toast.
  expect(await screen.findAllByText('Please enter a 6-digit code')).toHaveLength(2)
  expect(screen.getByText('Invalid Code')).toBeVisible()
  await person.clear(screen.getByLabelText('Verification Code'))
  await person.type(screen.getByLabelText('Verification Code'), '111111{Enter}')
  expect(await screen.findByText('Invalid Code')).toBeVisible()
  expect(screen.getAllByText('That code is not right.')).toHaveLength(2)
  expect(screen.getByLabelText('Verification Code')).toBeInvalid()
  expect(screen.getByLabelText('Verification Code')).toHaveFocus()

  await person.clear(screen.getByLabelText('Verification Code'))
  await person.type(screen.getByLabelText('Verification Code'), '١٢٣٤٥٦{Enter}')
  await person.type(await screen.findByLabelText('Password'), 'Str0ng&{Enter}')
  expect(await screen.findByText('Password must be at least 8 characters')).toBeVisible()
  await person.type(screen.getByLabelText('Password'), 'Safe')
  await person.type(screen.getByLabelText('Confirm Password'), 'Str0ng&Safe{Enter}')
  expect(await screen.findByText('Registration Failed')).toBeVisible()
  expect(screen.getByText(words)).toBeVisible()
})

test('a login whose answer was lost is not called failed', async () => {
  const { person } = setUp()
  api.answer(login, () => {
    throw proxyAnswer(502)
  })
  await person.type(screen.getByLabelText('Email'), 'mara@example.com')
  await person.type(screen.getByLabelText('Password'), 'right{Enter}')
  expect((await screen.findByText('Outcome Unknown')).parentElement).toHaveTextContent('It is safe to try again.')
  expect(screen.queryByText('Login Failed')).not.toBeInTheDocument()
})

test('a step of signing up whose answer was lost is not called failed', async () => {
  const page = setUp()
  const lose = () => {
    throw proxyAnswer(502)
  }
  await requestCode(page)
  api.answer(verifyCode, lose)
  await page.person.type(screen.getByLabelText('Verification Code'), '123456{Enter}')
  expect((await screen.findByText('Outcome Unknown')).parentElement).toHaveTextContent('It may have been done.')
  expect(screen.queryByText('Invalid Code')).not.toBeInTheDocument()

  api.answer(verifyCode, () => ({ message: 'ok' }))
  api.answer(register, lose)
  await page.person.click(button('Verify Code'))
  await page.person.type(await screen.findByLabelText('Password'), 'Str0ng&Safe')
  await page.person.type(screen.getByLabelText('Confirm Password'), 'Str0ng&Safe{Enter}')
  expect(await screen.findByText('Outcome Unknown')).toBeVisible()
  expect(screen.queryByText('Registration Failed')).not.toBeInTheDocument()
})

test('a pending request shows on its button', async () => {
  const page = setUp()
  const { person } = page
  let goOn = () => {}
  const wait = () => new Promise<void>((resolve) => (goOn = resolve))
  api.answer(login, async ({ body }) => {
    await wait()
    return { email: body.email }
  })
  api.answer(register, async ({ body }) => {
    await wait()
    return { email: body.email }
  })
  await person.type(screen.getByLabelText('Email'), 'mara@example.com')
  await person.type(screen.getByLabelText('Password'), 'right{Enter}')
  expect(await screen.findByRole('button', { name: 'Logging in...' })).toBeDisabled()
  goOn()
  expect(await screen.findByRole('button', { name: 'Login' })).toBeEnabled()

  await requestCode(page)
  await person.type(screen.getByLabelText('Verification Code'), '123456{Enter}')
  await person.type(await screen.findByLabelText('Password'), 'Str0ng&Safe')
  await person.type(screen.getByLabelText('Confirm Password'), 'Str0ng&Safe{Enter}')
  expect(await screen.findByRole('button', { name: 'Creating Account...' })).toBeDisabled()
  goOn()
  await waitFor(() => expect(page.location()).toBe('/'))
})

async function passVerification() {
  await screen.findByRole('dialog', { name: 'Human Verification' })
  await waitFor(() => expect(screen.queryByText('Loading verification...')).not.toBeInTheDocument())
  const altcha = findAltcha()!
  await act(() => altcha.tick())
}

const captchaRequired = () => refusal(403, 'captcha_required', 'Please complete the verification first.')

test('a code that requires a verification is sent after it', async () => {
  const page = setUp()
  let tries = 0
  api.answer(sendVerificationCode, () => {
    if (++tries === 1) throw captchaRequired()
    return { message: 'sent', expiresInSeconds: 600 }
  })
  await page.person.click(screen.getByRole('tab', { name: 'Sign Up' }))
  await page.person.type(screen.getByLabelText('Email'), 'mara@example.com{Enter}')
  await passVerification()

  expect(await screen.findByLabelText('Verification Code')).toBeVisible()
  expect(tries).toBe(2)
})

test('a user who declines the verification is not logged in, and is told why', async () => {
  const { person } = setUp()
  let tries = 0
  api.answer(login, () => {
    tries++
    throw captchaRequired()
  })
  await person.type(screen.getByLabelText('Email'), 'mara@example.com')
  await person.type(screen.getByLabelText('Password'), 'right{Enter}')
  await screen.findByRole('dialog', { name: 'Human Verification' })
  await person.keyboard('{Escape}')

  expect(await screen.findByText('Login Failed')).toBeVisible()
  expect(screen.getByText('Please complete the verification first.')).toBeVisible()
  expect(screen.getByRole('button', { name: 'Login' })).toBeEnabled()
  expect(tries).toBe(1)
})

async function openForgotPassword({ person }: ReturnType<typeof setUp>) {
  await person.type(screen.getByLabelText('Email'), 'mara@example.com')
  await person.click(button('Forgot password?'))
  expect(screen.getByLabelText('Email')).toHaveValue('mara@example.com')
  await person.click(button('Send Verification Code'))
  await screen.findByLabelText('Verification Code')
}

test('a forgotten password is reset with the emailed code and, if required, an authenticator or recovery code', async () => {
  const page = setUp()
  const { person } = page
  const sent: unknown[] = []
  api.answer(forgotPassword, () => ({ message: 'sent', expiresInSeconds: 600 }))
  api.answer(resetPassword, ({ body }) => {
    sent.push(body)
    if (body.code !== '123456') throw refusal(400, 'code_invalid', 'That code is not right.')
    if (!body.token) throw refusal(403, 'otp_required', 'Please also enter the code from your authenticator app.')
    if (body.token === '000000') throw refusal(400, 'otp_invalid', 'Invalid verification code.')
    return { message: 'ok' }
  })
  await openForgotPassword(page)
  expect(screen.getByText('Verification Code Sent')).toBeVisible()

  await person.type(screen.getByLabelText('Verification Code'), '111111')
  await person.type(screen.getByLabelText('New Password'), 'new&pass1')
  await person.type(screen.getByLabelText('Confirm New Password'), 'new&pass')
  await person.click(button('Change Password'))
  expect(await screen.findByText('Password must contain at least one uppercase letter.')).toBeVisible()
  await person.type(screen.getByLabelText('New Password'), 'X')
  await person.click(button('Change Password'))
  expect(await screen.findByText('New password and confirmation password do not match.')).toBeVisible()
  await person.type(screen.getByLabelText('Confirm New Password'), '1X')
  await person.click(button('Change Password'))
  expect(await screen.findByText('Password Change Failed')).toBeVisible()
  expect(screen.getAllByText('That code is not right.')).toHaveLength(2)
  expect(screen.getByLabelText('Verification Code')).toBeInvalid()
  expect(screen.getByLabelText('Verification Code')).toHaveFocus()
  expect(screen.queryByLabelText('Authenticator code')).not.toBeInTheDocument()

  await person.clear(screen.getByLabelText('Verification Code'))
  await person.type(screen.getByLabelText('Verification Code'), '123456')
  await person.click(button('Change Password'))
  const token = await screen.findByLabelText('Authenticator code')
  expect(screen.getByText('Please also enter the code from your authenticator app.')).toBeVisible()
  await person.click(button('Change Password'))
  expect(await screen.findAllByText('Please enter the 6-digit verification code.')).toHaveLength(2)
  expect(screen.getByText('Invalid Input')).toBeVisible()
  await person.type(token, '000000')
  await person.click(button('Change Password'))
  expect(await screen.findByText('Invalid verification code.')).toBeVisible()
  await person.click(button('Use a recovery code'))
  await person.type(screen.getByLabelText('Recovery code'), 'abcdefghjk')
  await person.click(button('Change Password'))

  expect(await screen.findByText('Password Changed Successfully')).toBeVisible()
  expect(sent.at(-1)).toEqual({ email: 'mara@example.com', code: '123456', newPassword: 'new&pass1X', token: 'ABCDE-FGHJK' })
  expect(button('Login')).toBeVisible()
  expect(screen.getByLabelText('Email')).toHaveValue('mara@example.com')
  expect(screen.getByLabelText('Password')).toHaveValue('')
})

test('while a forgotten password is reset, and a new one is set at the sign-up, nothing may render the page anew', async () => {
  const page = setUp()
  api.answer(forgotPassword, () => ({ message: 'sent', expiresInSeconds: 600 }))
  await openForgotPassword(page)
  expect(isBusy()).toBe(true)

  await page.person.click(button('Back to Login'))
  expect(isBusy()).toBe(false)
  await requestCode(page)
  await page.person.type(screen.getByLabelText('Verification Code'), '123456')
  await page.person.click(button('Verify Code'))
  await screen.findByLabelText('Confirm Password')
  expect(isBusy()).toBe(true)
})

test('the reset has a link back, and another code only after the countdown', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  const page = setUp()
  let mails = 0
  api.answer(forgotPassword, () => {
    mails++
    return { message: 'sent', expiresInSeconds: 600 }
  })
  await openForgotPassword(page)
  expect(screen.queryByRole('button', { name: 'Resend Code' })).not.toBeInTheDocument()
  pass(60)
  await page.person.click(button('Resend Code'))
  await waitFor(() => expect(mails).toBe(2))
  expect(await screen.findByRole('timer')).toHaveTextContent('1:00')

  await page.person.click(button('Back to Login'))
  expect(button('Login')).toBeVisible()
  expect(screen.getByLabelText('Email')).toHaveValue('mara@example.com')
})
