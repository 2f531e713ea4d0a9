import { act, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { getAuthUser, login, register, sendVerificationCode, verifyCode } from '#shared/contract/identity.ts'
import { someUser } from '#pwa/testing/answers.ts'
import { refusal, unauthorized, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AuthPage } from './AuthPage.tsx'

const api = useFakeApi()

function setUp() {
  const world = { isLoggedIn: false, codesSent: 0 }
  api.answer(getAuthUser, () => {
    if (!world.isLoggedIn) throw unauthorized()
    return someUser()
  })
  api.answer(login, ({ body }) => {
    if (body.password !== 'right') throw refusal(400, 'invalid_credentials', 'The e-mail address or the password is wrong.')
    world.isLoggedIn = true
    return { email: body.email }
  })
  api.answer(sendVerificationCode, () => {
    world.codesSent++
    return { message: 'sent', expiresInSeconds: 600 }
  })
  api.answer(verifyCode, ({ body }) => {
    if (body.code !== '123456') throw refusal(400, 'code_invalid', 'That code is not right.')
    return { message: 'ok' }
  })
  api.answer(register, ({ body }) => {
    world.isLoggedIn = true
    return { email: body.email }
  })
  return { world, ...renderPage(<AuthPage />, { at: '/auth' }) }
}

const button = (name: string) => screen.getByRole('button', { name })

async function askForCode({ person }: ReturnType<typeof setUp>) {
  await person.click(screen.getByRole('tab', { name: 'Sign Up' }))
  await person.type(screen.getByLabelText('Email'), 'Mara@Example.com ')
  await person.click(button('Send Verification Code'))
  await screen.findByLabelText('Verification Code')
}

const pass = (seconds: number) => act(() => void vi.advanceTimersByTime(seconds * 1_000))

test('logging in says welcome and goes home', async () => {
  const { person, location } = setUp()

  await person.type(screen.getByLabelText('Email'), 'mara@example.com')
  await person.type(screen.getByLabelText('Password'), 'right')
  await person.click(button('Login'))

  expect(await screen.findByText('Login Successful')).toBeVisible()
  await waitFor(() => expect(location()).toBe('/'))
})

test('an empty form names both fields and asks nobody', async () => {
  const { person } = setUp()

  await person.click(button('Login'))

  expect(await screen.findByText('Please enter a valid email')).toBeVisible()
  expect(screen.getByText('Please enter password')).toBeVisible()
})

test('a wrong password is told in the words of the server, and the page stays', async () => {
  const { person, location } = setUp()

  await person.type(screen.getByLabelText('Email'), 'mara@example.com')
  await person.type(screen.getByLabelText('Password'), 'wrong')
  await person.click(button('Login'))

  expect(await screen.findByText('Login Failed')).toBeVisible()
  expect(screen.getByText('The e-mail address or the password is wrong.')).toBeVisible()
  expect(location()).toBe('/auth')
})

test('a code can be sent again only after sixty seconds', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  const page = setUp()
  await askForCode(page)

  expect(screen.getByRole('timer')).toHaveTextContent('1:00')
  pass(1)
  expect(screen.getByRole('timer')).toHaveTextContent('0:59')
  pass(58)
  expect(screen.getByRole('timer')).toHaveTextContent('0:01')
  expect(screen.queryByRole('button', { name: 'Resend Code' })).not.toBeInTheDocument()
  pass(1)

  await page.person.click(button('Resend Code'))
  await waitFor(() => expect(page.world.codesSent).toBe(2))
  expect(await screen.findByRole('timer')).toHaveTextContent('1:00')
})

test('signing up leads from the code over the password to the dashboard', async () => {
  const page = setUp()
  const { person } = page
  await askForCode(page)
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

test('coming back to the Sign Up tab starts again at the e-mail address', async () => {
  const page = setUp()
  await askForCode(page)

  await page.person.click(screen.getByRole('tab', { name: 'Login' }))
  await page.person.click(screen.getByRole('tab', { name: 'Sign Up' }))

  expect(screen.getByRole('button', { name: 'Send Verification Code' })).toBeVisible()
})

test('somebody logged in is led home', async () => {
  const page = setUp()
  page.world.isLoggedIn = true

  await waitFor(() => expect(page.location()).toBe('/'))
})
