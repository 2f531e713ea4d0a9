import { screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { initializeSetup, SETUP_TOKEN_HEADER, setupStatus } from '#shared/contract/setup.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { SetupPage } from './SetupPage.tsx'

const api = useFakeApi()
beforeEach(() => api.answer(setupStatus, () => ({ setupRequired: true, currentIP: '127.0.0.1' })))
const submit = () => screen.getByRole('button', { name: 'Complete Setup' })
/** The error below a field. The toast has the same text, so it is removed first. */
const problem = async () => {
  const texts = (await screen.findAllByRole('alert')).map(({ textContent }) => textContent!).filter(Boolean)
  const toasts = texts.filter((text) => text.startsWith('Invalid Input')).map((text) => text.replace('Invalid Input', ''))
  const shown = texts.filter((text) => !text.startsWith('Invalid Input'))
  expect(toasts).toEqual(shown)
  return shown
}

async function fillIn({ person }: ReturnType<typeof renderPage>) {
  await person.type(screen.getByLabelText('Admin Username'), 'keeper')
  await person.type(screen.getByLabelText('Password'), 'correct horse')
  await person.type(screen.getByLabelText('Confirm Password'), 'correct horse')
  await person.type(screen.getByLabelText('Allowed IP Addresses'), '127.0.0.1, 10.0.0.7\n192.168.1.4')
}

test('missing fields are reported one at a time, in the printed order', async () => {
  const { person } = renderPage(<SetupPage />)
  const next = async (field: string, text: string) => {
    await person.click(submit())
    const shown = await problem()
    await person.type(screen.getByLabelText(field), text)
    return shown
  }

  expect(await next('Admin Username', 'keeper')).toEqual(['Please enter a username.'])
  expect(await next('Password', 'short')).toEqual(['Please enter a password.'])
  expect(await next('Password', ' but longer')).toEqual(['Password must be at least 8 characters long.'])
  expect(await next('Confirm Password', 'short but longer')).toEqual(['Please ensure both passwords are identical.'])
  expect(await next('Allowed IP Addresses', '127.0.0.1')).toEqual(['Please enter at least one allowed IP address.'])
})

test('it sends the addresses as a list, says so, and opens the administrator login', async () => {
  const sent: unknown[] = []
  api.answer(initializeSetup, ({ body }) => {
    sent.push(body.allowedIps)
    return { message: 'done' }
  })
  const page = renderPage(<SetupPage />, { at: '/setup' })

  await fillIn(page)
  await page.person.click(submit())

  expect(await screen.findByText('Setup Complete')).toBeVisible()
  expect(sent).toEqual([['127.0.0.1', '10.0.0.7', '192.168.1.4']])
  expect(page.location()).toBe('/admin-login')
})

test('it sends the one-time token of the link', async () => {
  let token: string | null = null
  api.answer(initializeSetup, (_, request) => {
    token = request.headers.get(SETUP_TOKEN_HEADER)
    return { message: 'done' }
  })
  window.location.hash = '#token=from-the-log'
  const page = renderPage(<SetupPage />)

  await fillIn(page)
  await page.person.click(submit())
  await screen.findByText('Setup Complete')

  expect(token).toBe('from-the-log')
  window.location.hash = ''
})

test("a refusal shows the server's message", async () => {
  api.answer(initializeSetup, () => {
    throw refusal(409, 'setup_done', 'This installation is already set up.')
  })
  const page = renderPage(<SetupPage />)

  await fillIn(page)
  await page.person.click(submit())

  expect(await screen.findByText('Setup Failed')).toBeVisible()
  expect(screen.getByText('This installation is already set up.')).toBeVisible()
})

test('an address that the server refuses is named at the field, which keeps what was typed and has the focus', async () => {
  const message = '"192.168.1.4" is not an IP address.'
  api.answer(initializeSetup, () => {
    throw refusal(400, 'invalid_request', message, { allowedIps: message })
  })
  const page = renderPage(<SetupPage />)
  await fillIn(page)
  await page.person.click(submit())

  await screen.findByText('Setup Failed')
  const field = screen.getByLabelText('Allowed IP Addresses')
  expect(field).toHaveAccessibleDescription(expect.stringContaining(message))
  expect(field).toHaveValue('127.0.0.1, 10.0.0.7\n192.168.1.4')
  expect(field).toHaveFocus()
})

test('more addresses than fit are refused at the field, which says how many do', async () => {
  const page = renderPage(<SetupPage />)
  await fillIn(page)
  const field = screen.getByLabelText('Allowed IP Addresses')
  await page.person.clear(field)
  await page.person.click(field)
  await page.person.paste(Array.from({ length: 51 }, (_, at) => `10.0.0.${at}`).join('\n'))
  await page.person.click(submit())
  expect(await problem()).toEqual(['Please enter at most 50 IP addresses.'])
  expect(field).toHaveFocus()
})

test('a refusal without a message, and a lost connection, have fallback texts', async () => {
  api.answer(initializeSetup, () => {
    throw refusal(500, 'internal', undefined as never)
  })
  const page = renderPage(<SetupPage />)
  await fillIn(page)
  await page.person.click(submit())
  expect(await screen.findByText('Failed to complete initial setup')).toBeVisible()

  vi.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('Failed to fetch'))
  await page.person.click(submit())
  expect(await screen.findByText('An error occurred during setup. Please try again.')).toBeVisible()
  expect(screen.getByText('Setup Failed')).toBeVisible()
})

test('it explains the setup before it is done, and names the own address', async () => {
  api.answer(setupStatus, () => ({ setupRequired: true, currentIP: '203.0.113.7' }))
  renderPage(<SetupPage />)

  expect(await screen.findByText(/Your address is 203\.0\.113\.7\.$/)).toBeVisible()
  expect(screen.getByText('Create the administrator account for this site.')).toBeVisible()
  expect(screen.getByText('Setup can only be done once.')).toBeVisible()
  expect(screen.getByText(/^The IP restriction is enforced at once\./)).toBeVisible()
  expect(screen.getByText('Settings can be changed later in the admin panel.')).toBeVisible()
})

test("it warns while one's own address is not in the list, and can add it", async () => {
  api.answer(setupStatus, () => ({ setupRequired: true, currentIP: '203.0.113.7' }))
  const { person } = renderPage(<SetupPage />)
  expect(screen.queryByText('Your own address is missing')).not.toBeInTheDocument()

  await person.type(screen.getByLabelText('Allowed IP Addresses'), '10.0.0.7')
  expect(await screen.findByText('Your own address is missing')).toBeVisible()
  expect(
    screen.getByText('Your address is 203.0.113.7. Without it, you will lock yourself out of the admin panel.'),
  ).toBeVisible()
  await person.click(screen.getByRole('button', { name: 'Add 203.0.113.7' }))

  expect(screen.getByLabelText('Allowed IP Addresses')).toHaveValue('10.0.0.7\n203.0.113.7')
  expect(screen.queryByText('Your own address is missing')).not.toBeInTheDocument()
})

const done = () => screen.findByText('This site is already set up')

test('an installation that is set up shows no form, but the way to the login', async () => {
  api.answer(setupStatus, () => ({ setupRequired: false, currentIP: '127.0.0.1' }))
  renderPage(<SetupPage />)

  expect(await done()).toBeVisible()
  expect(screen.getByRole('link', { name: 'Administrator login' })).toHaveAttribute('href', '/admin1')
  expect(screen.queryByRole('button', { name: 'Complete Setup' })).not.toBeInTheDocument()
})

test('a setup whose answer was lost leads to the login', async () => {
  let isDone = false
  api.answer(setupStatus, () => ({ setupRequired: !isDone, currentIP: '127.0.0.1' }))
  const page = renderPage(<SetupPage />)
  await fillIn(page)
  isDone = true
  vi.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('Failed to fetch'))
  await page.person.click(submit())

  expect(await done()).toBeVisible()
  expect(screen.getByText('An error occurred during setup. Please try again.')).toBeVisible()
})
