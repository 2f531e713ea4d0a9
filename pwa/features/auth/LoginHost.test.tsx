import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { captchaChallenge, verifyCaptcha } from '#shared/contract/captcha.ts'
import { getAuthUser, login, register, sendVerificationCode, verifyCode } from '#shared/contract/identity.ts'
import { answerCommonCalls, someUser } from '#pwa/testing/answers.ts'
import { findAltcha } from '#pwa/testing/fakeAltcha.ts'
import { refusal, unauthorized, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { LoginHost } from './LoginHost.tsx'
import { openLogin, useLoginStore } from './loginStore.ts'

vi.mock('altcha/external', () => import('#pwa/testing/fakeAltcha.ts'))
vi.mock('altcha/workers/pbkdf2?worker', () => ({ default: class {} }))

const api = useFakeApi()

function setUp() {
  let isLoggedIn = false
  const logIn = ({ body: { email } }: { body: { email: string } }) => {
    isLoggedIn = true
    return { email }
  }
  answerCommonCalls(api)
  api.answer(getAuthUser, () => {
    if (!isLoggedIn) throw unauthorized()
    return someUser()
  })
  api.answer(captchaChallenge, () => ({}))
  api.answer(verifyCaptcha, () => ({ message: 'ok' }))
  api.answer(login, logIn)
  api.answer(register, logIn)
  api.answer(sendVerificationCode, () => ({ message: 'sent', expiresInSeconds: 600 }))
  api.answer(verifyCode, () => ({ message: 'ok' }))
  return renderPage(
    <>
      <button type="button" onClick={openLogin}>
        Log in
      </button>
      <LoginHost />
    </>,
    { at: '/purchase' },
  )
}

const verification = () => screen.findByRole('dialog', { name: 'Human Verification' })
const forms = () => screen.findByRole('dialog', { name: 'Welcome back' })

async function passVerification({ person }: Pick<ReturnType<typeof setUp>, 'person'>) {
  await person.click(screen.getByRole('button', { name: 'Log in' }))
  await verification()
  await waitFor(() => expect(screen.queryByText('Loading verification...')).not.toBeInTheDocument())
  await act(() => findAltcha()!.tick())
}

test('Human Verification precedes the login, which keeps the page it was opened from', async () => {
  const page = setUp()
  await passVerification(page)
  const dialog = await forms()
  expect(screen.queryByRole('dialog', { name: 'Human Verification' })).not.toBeInTheDocument()
  expect(useLoginStore.getState().captchaToken).toBe('solved')

  expect(within(dialog).getByLabelText('Email')).toHaveFocus()
  await page.person.keyboard('mara@example.com{Tab}right{Enter}')

  expect(await screen.findByText('Login Successful')).toBeVisible()
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(page.location()).toBe('/purchase')
})

test('closing the verification cancels the login and returns the focus', async () => {
  const { person } = setUp()
  await person.click(screen.getByRole('button', { name: 'Log in' }))
  await verification()
  await person.keyboard('{Escape}')

  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(screen.getByRole('button', { name: 'Log in' })).toHaveFocus()
})

test('closing resets the input, the tab and the verification, but not a code already sent', async () => {
  const page = setUp()
  const { person } = page
  await passVerification(page)
  await person.type(within(await forms()).getByLabelText('Email'), 'mara@example.com')
  await person.click(screen.getByRole('tab', { name: 'Sign Up' }))
  expect(await screen.findByLabelText('Email')).toHaveValue('mara@example.com')
  await person.click(screen.getByRole('button', { name: 'Send Verification Code' }))
  await screen.findByLabelText('Verification Code')
  await person.click(screen.getByRole('button', { name: 'Close' }))

  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(useLoginStore.getState().captchaToken).toBeNull()
  await waitFor(() => expect(screen.getByRole('button', { name: 'Log in' })).toHaveFocus())

  await passVerification(page)
  expect(within(await forms()).getByLabelText('Email')).toHaveValue('')
  await person.click(screen.getByRole('tab', { name: 'Sign Up' }))
  expect(await screen.findByRole('button', { name: 'Send Verification Code' })).toBeVisible()
  // An emailed code stays valid for a while.
  expect(screen.getByRole('button', { name: 'Enter the code for mara@example.com' })).toBeVisible()
})

test('signing up in the dialog leads to the dashboard', async () => {
  const page = setUp()
  const { person } = page
  await passVerification(page)
  await forms()
  await person.click(screen.getByRole('tab', { name: 'Sign Up' }))
  await person.type(await screen.findByLabelText('Email'), 'mara@example.com{Enter}')
  await person.type(await screen.findByLabelText('Verification Code'), '123456{Enter}')
  await person.type(await screen.findByLabelText('Password'), 'Str0ng&Safe')
  await person.type(screen.getByLabelText('Confirm Password'), 'Str0ng&Safe{Enter}')

  expect(await screen.findByText('Registration Successful')).toBeVisible()
  await waitFor(() => expect(page.location()).toBe('/'))
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
})

test('a login that requires another verification opens it over the form and is retried', async () => {
  const page = setUp()
  let tries = 0
  api.answer(login, ({ body }) => {
    if (++tries === 1) throw refusal(403, 'captcha_required', 'Please verify that you are human.')
    return { email: body.email }
  })
  await passVerification(page)
  await forms()
  await page.person.keyboard('mara@example.com{Tab}right{Enter}')

  await verification()
  expect(screen.getByText('Logging in...')).toBeInTheDocument()
  await waitFor(() => expect(screen.queryByText('Loading verification...')).not.toBeInTheDocument())
  await act(() => findAltcha()!.tick())

  expect(await screen.findByText('Login Successful')).toBeVisible()
  expect(tries).toBe(2)
})
