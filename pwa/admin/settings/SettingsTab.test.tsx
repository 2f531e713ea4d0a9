import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import {
  adminDisableOtp,
  adminEnableOtp,
  adminSetupOtp,
  changeAdminCredentials,
  clearIpAccess,
  getIpAccess,
  setIpAccess,
} from '#shared/contract/admin/login.ts'
import { listAdminPasskeys } from '#shared/contract/admin/passkeys.ts'
import { ApiError } from '#shared/contract/client.ts'
import { answerBackOffice, someIpAccess } from '#pwa/testing/adminAnswers.ts'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, unauthorized, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { readShownSecret } from '#pwa/lib/shownSecret.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'
import { ipAccessQuery } from '../queries.ts'
import { hideDrafts, ownDrafts } from '../useDraft.ts'

const api = useFakeApi()
const button = (name: string) => screen.getByRole('button', { name })

function open(serverState: Parameters<typeof answerBackOffice>[1] = {}) {
  answerCommonCalls(api)
  const session = answerBackOffice(api, serverState)
  return { ...renderPage(<AdminArea />, { at: '/admin-panel?tab=settings' }), session }
}

/** Opens the list of addresses and records the requests. */
async function openIps(ipAccess: Parameters<typeof someIpAccess>[0] = {}) {
  const page = open({ ipAccess })
  const sent: string[][] = []
  api.answer(setIpAccess, ({ body: { allowedIPs } }) => {
    sent.push(allowedIPs)
    return { ...someIpAccess(ipAccess), isRestricted: true, allowedIPs, message: 'The list was stored.' }
  })
  api.answer(clearIpAccess, () => {
    sent.push([])
    return { ...someIpAccess(ipAccess), isRestricted: false, allowedIPs: [], message: 'Every address is answered now.' }
  })
  const field = await screen.findByLabelText('Add an IP address')
  const add = async (text: string) => {
    await page.person.clear(field)
    await page.person.type(field, `${text}{Enter}`)
  }
  const listed = () => {
    const list = screen.queryByRole('list', { name: 'Allowed IP addresses' })
    return list
      ? within(list)
          .getAllByRole('listitem')
          .map(({ textContent }) => textContent)
      : []
  }
  return { ...page, sent, add, field, listed }
}

test('the list marks the current address and shows those given at setup', async () => {
  const { listed } = await openIps({ allowedIPs: ['10.0.0.7', '10.0.0.8'], initialIPs: ['10.0.0.7'] })

  expect(screen.getByText('Restricted')).toBeVisible()
  expect(screen.getAllByText('10.0.0.7')[0]).toBeVisible()
  expect(listed()).toEqual(['10.0.0.7YOU', '10.0.0.8'])
  expect(screen.getByText('Set during setup:')).toHaveTextContent('Set during setup: 10.0.0.7')
  expect(screen.getByText('2 of at most 2 in use.')).toBeVisible()
})

test('an address must be present, valid, new, and fit into the list', async () => {
  const { add, field, sent } = await openIps({ allowedIPs: ['10.0.0.7'] })
  const problemOf = async (text: string) => {
    await add(text)
    expect(field).toHaveFocus()
    expect(screen.getByText('Invalid IP Address')).toBeVisible()
    return field
      .getAttribute('aria-describedby')!
      .split(' ')
      .map((id) => document.getElementById(id)!.textContent)[1]
  }

  expect(await problemOf(' ')).toBe('Please enter an IP address.')
  for (const text of ['10.0.0', '10.0.0.256', '::1', 'example.com', '10.0.0.0/8'])
    expect(await problemOf(text)).toBe('Please enter a valid IPv4 address, such as 192.168.1.10.')
  expect(await problemOf('10.0.0.7')).toBe('This IP address is already on the list.')

  await add('10.0.0.8')
  expect(await screen.findByText('IP Access Updated')).toBeVisible()
  expect(screen.getByText('The list was stored.')).toBeVisible()
  expect(field).toHaveValue('')
  expect(await problemOf('10.0.0.9')).toBe('At most 2 IP addresses are allowed. Remove one first.')
  expect(sent).toEqual([['10.0.0.7', '10.0.0.8']])
})

test('an address that did not fit is no longer refused once the list has room, whoever made it', async () => {
  const full = { allowedIPs: ['10.0.0.7', '10.0.0.8'] }
  const { add, person, queryClient } = await openIps(full)
  const refusal = 'At most 2 IP addresses are allowed. Remove one first.'
  const inField = () => screen.queryByText(refusal, { selector: 'form *' })
  await add('10.0.0.9')
  expect(inField()).toBeVisible()

  await person.click(button('Remove all restrictions'))
  await person.type(await screen.findByLabelText('Reason'), 'Traveling')
  await person.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Remove all restrictions' }))
  expect(await screen.findByText('0 of at most 2 in use.')).toBeVisible()
  expect(inField()).not.toBeInTheDocument()

  await queryClient.invalidateQueries({ queryKey: [getIpAccess.path] })
  await add('10.0.0.9')
  expect(inField()).toBeVisible()
  api.answer(getIpAccess, () => someIpAccess({ isRestricted: false, allowedIPs: [] }))
  await queryClient.invalidateQueries({ queryKey: [getIpAccess.path] })
  expect(await screen.findByText('0 of at most 2 in use.')).toBeVisible()
  expect(inField()).not.toBeInTheDocument()
})

test('a list without the own address needs confirmation', async () => {
  const { add, sent, person, listed } = await openIps({ isRestricted: false, allowedIPs: [], initialIPs: [] })
  expect(screen.getByText('Open access')).toBeVisible()

  await add('192.168.1.10')
  const dialog = within(await screen.findByRole('dialog', { name: 'Lock out 10.0.0.7?' }))
  await person.click(dialog.getByRole('button', { name: 'Cancel' }))
  expect(sent).toEqual([])

  await add('192.168.1.10')
  await person.click(await screen.findByRole('button', { name: 'Save without my address' }))
  await waitFor(() => expect(sent).toEqual([['192.168.1.10']]))
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(listed()).toEqual(['192.168.1.10'])
})

test('after an address is removed the keyboard does not begin again at the top of the page', async () => {
  const { person, listed } = await openIps({ allowedIPs: ['10.0.0.7', '10.0.0.8'] })
  await person.click(button('Remove 10.0.0.8'))
  await waitFor(() => expect(listed()).toEqual(['10.0.0.7YOU']))
  await waitFor(() => expect(screen.getByRole('main')).toHaveFocus())
})

test('a confirmed list names the addresses from which it was made, not those that another administrator has saved since', async () => {
  const shown = ['10.0.0.8', '10.0.0.9']
  const { person, queryClient } = await openIps({ allowedIPs: shown })
  const named: unknown[] = []
  api.answer(setIpAccess, ({ body: { replaces } }) => {
    named.push(replaces)
    throw refusal(409, 'value_changed', 'Another administrator has changed this meanwhile.')
  })
  await person.click(button('Remove 10.0.0.8'))
  await screen.findByRole('dialog')
  const saved = someIpAccess({ allowedIPs: ['10.0.0.8'] })
  api.answer(getIpAccess, () => saved)
  act(() => void queryClient.setQueryData(ipAccessQuery.queryKey, saved))
  const list = screen.getByLabelText('Allowed IP addresses')
  await waitFor(() => expect(list).toHaveTextContent(/^10\.0\.0\.8$/))
  await person.click(button('Save without my address'))
  await waitFor(() => expect(named).toEqual([shown]))
})

test('the own address can be added with one press', async () => {
  const { sent, person, listed } = await openIps({ isRestricted: false, allowedIPs: [] })
  await person.click(button('Add my address'))

  await waitFor(() => expect(listed()).toEqual(['10.0.0.7YOU']))
  expect(sent).toEqual([['10.0.0.7']])
})

test('an address is removed; the own and the last one need confirmation', async () => {
  const { sent, person, listed } = await openIps({ allowedIPs: ['10.0.0.7', '10.0.0.8'] })

  await person.click(button('Remove 10.0.0.7'))
  expect(await screen.findByRole('dialog', { name: 'Lock out 10.0.0.7?' })).toBeVisible()
  await person.click(button('Cancel'))

  await person.click(button('Remove 10.0.0.8'))
  await waitFor(() => expect(listed()).toEqual(['10.0.0.7YOU']))

  await person.click(button('Remove 10.0.0.7'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove all IP restrictions?' }))
  await person.type(dialog.getByLabelText('Reason'), 'Traveling')
  await person.click(dialog.getByRole('button', { name: 'Remove all restrictions' }))
  expect(await screen.findByText('Open access')).toBeVisible()
  expect(sent).toEqual([['10.0.0.7'], []])
})

test('a full list that gets shorter no longer asks to remove an address', async () => {
  const { add, person, field } = await openIps({ allowedIPs: ['10.0.0.7', '10.0.0.8'] })
  await add('10.0.0.9')
  expect(field).toHaveAttribute('aria-invalid', 'true')

  await person.click(button('Remove 10.0.0.8'))
  await waitFor(() => expect(field).not.toHaveAttribute('aria-invalid', 'true'))
})

test("a refused list shows the server's message and stays unchanged", async () => {
  const { add, person, listed } = await openIps({ allowedIPs: ['10.0.0.7'] })
  api.answer(setIpAccess, () => {
    throw refusal(400, 'invalid_request', 'That list is not allowed.')
  })
  api.answer(clearIpAccess, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  await add('10.0.0.8')
  expect(await screen.findByText('IP update failed')).toBeVisible()
  expect(screen.getByText('That list is not allowed.')).toBeVisible()

  await person.click(button('Remove all restrictions'))
  await person.type(await screen.findByLabelText('Reason'), 'Traveling')
  await person.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Remove all restrictions' }))
  expect(await screen.findByText('Failed to remove restrictions')).toBeVisible()
  expect(screen.getByLabelText('Reason')).toHaveValue('Traveling')
  await person.click(button('Cancel'))
  expect(listed()).toEqual(['10.0.0.7YOU'])
})

test('an address that needs a second person waits for the approval', async () => {
  const { add, field, listed } = await openIps({ allowedIPs: ['10.0.0.7'] })
  api.answer(setIpAccess, () => {
    throw new ApiError(202, JSON.stringify({ message: 'Proposed. Another administrator has to approve it within 24 hours.' }))
  })
  await add('10.0.0.8')
  expect(await screen.findByText('Nothing has changed yet')).toBeVisible()
  await waitFor(() => expect(field).toHaveValue(''))
  expect(listed()).toEqual(['10.0.0.7YOU'])
})

test("a lost session shows one toast with the back office's text", async () => {
  const { add } = await openIps({ allowedIPs: ['10.0.0.7'] })
  window.history.replaceState(null, '', '/admin-panel')
  api.answer(setIpAccess, () => {
    throw unauthorized()
  })
  // jsdom does not navigate; the redirect half a second later is tested with `redirectIfUnauthorized`.
  const { setTimeout } = globalThis
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, delay?: number) =>
    delay === 500 ? 0 : setTimeout(run, delay)) as never)
  await add('10.0.0.8')

  await expect
    .poll(() => screen.getByLabelText('Notifications').textContent)
    .toBe('Unauthorized – you are logged out, logging in again')
  window.history.replaceState(null, '', '/')
})

test('a setting that fails to load can be retried', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  api.answer(getIpAccess, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  const { person } = renderPage(<AdminArea />, { at: '/admin-panel?tab=settings' })
  expect(await screen.findByText("Couldn't load this setting")).toBeVisible()

  api.answer(getIpAccess, () => someIpAccess())
  await person.click(button('Try again'))
  expect(await screen.findByText('Restricted')).toBeVisible()
})

/** Opens the credentials and records the requests. */
async function openCredentials() {
  const page = open()
  const sent: unknown[] = []
  api.answer(changeAdminCredentials, ({ body }) => {
    if (body.currentPassword !== 'correct horse') throw refusal(400, 'invalid_credentials', 'The current password is incorrect.')
    sent.push(body)
    page.session.username = body.newUsername ?? page.session.username
    return { message: 'The credentials were changed.', username: page.session.username }
  })
  await screen.findByLabelText('Current password')
  const type = (label: string, text: string) => page.person.type(screen.getByLabelText(label), text)
  const submit = () => page.person.click(button('Update credentials'))
  return { ...page, sent, type, submit }
}

test('missing credentials are reported one at a time', async () => {
  const { type, submit, sent } = await openCredentials()
  const problem = async () => {
    await submit()
    // Shown in a toast and below its field.
    const form = within(button('Update credentials').closest('form')!)
    const kept = form.getAllByRole('alert').map(({ textContent }) => textContent)
    const toasts = within(screen.getByRole('region', { name: 'Notifications' }))
    expect(toasts.getByText(kept[0]!)).toBeVisible()
    return kept
  }

  expect(await problem()).toEqual(['Please enter the current password.'])
  expect(screen.getByLabelText('Current password')).toHaveFocus()
  await type('Current password', 'correct horse')
  expect(await problem()).toEqual(['Please enter a new username or a new password.'])
  await type('New password', 'x')
  expect(await problem()).toEqual(['The confirmation does not match the new password.'])
  expect(sent).toEqual([])
})

test('a new username keeps the message that is being written, over a page load too', async () => {
  const { person, type, submit } = await openCredentials()
  await person.type(screen.getAllByLabelText('Title in English')[0]!, 'Maintenance')
  await type('Current password', 'correct horse')
  await type('New username', 'keeper2')
  await submit()
  expect(await screen.findByText('keeper2')).toBeVisible()
  expect(screen.getAllByLabelText('Title in English')[0]).toHaveValue('Maintenance')
  hideDrafts()
  act(() => ownDrafts('keeper2'))
  expect(screen.getAllByLabelText('Title in English')[0]).toHaveValue('Maintenance')
})

test('a new password of one character is accepted with a warning', async () => {
  const { type, submit, sent } = await openCredentials()
  expect(screen.queryByText('A short password')).not.toBeInTheDocument()
  await type('Current password', 'correct horse')
  await type('New password', 'x')
  expect(screen.getByText('A short password')).toBeVisible()
  await type('Confirm new password', 'x')
  await submit()

  expect(await screen.findByText('Admin Credentials Updated')).toBeVisible()
  expect(sent).toEqual([{ currentPassword: 'correct horse', newPassword: 'x' }])
  expect(screen.getByLabelText('Current password')).toHaveValue('')
})

test('a long password has no warning', async () => {
  const { type } = await openCredentials()
  await type('New password', 'twelve chars')
  expect(screen.queryByText('A short password')).not.toBeInTheDocument()
})

test('the name alone can be changed, and is then shown', async () => {
  const { type, submit, sent } = await openCredentials()
  await type('Current password', 'correct horse')
  await type('New username', ' warden ')
  await submit()

  expect(await screen.findByText('warden')).toBeVisible()
  expect(sent).toEqual([{ currentPassword: 'correct horse', newUsername: 'warden' }])
})

test('a wrong current password is reported, and the input stays', async () => {
  const { type, submit } = await openCredentials()
  await type('Current password', 'wrong')
  await type('New username', 'warden')
  await submit()

  expect(await screen.findByText('Failed to update credentials')).toBeVisible()
  expect(screen.getByText('The current password is incorrect.')).toBeVisible()
  expect(screen.getByLabelText('New username')).toHaveValue('warden')
})

const check = (token: string) => {
  if (token !== '123456') throw refusal(400, 'otp_invalid', 'That code is not right.')
  return { message: 'ok' }
}

test('the authenticator is set up with key and code', async () => {
  const { person } = open()
  api.answer(adminSetupOtp, () => ({ qrCode: 'data:image/png;base64,', manualEntryKey: 'JBSW Y3DP', secret: 'JBSWY3DP' }))
  api.answer(adminEnableOtp, ({ body }) => check(body.token))
  expect(await screen.findByText('DISABLED')).toBeVisible()
  expect(screen.getByText('Basic (password only)')).toBeVisible()
  expect(screen.queryByText('Login process')).not.toBeInTheDocument()

  await person.click(button('Setup OTP'))
  expect(await screen.findByRole('dialog', { name: 'Setup OTP' })).toBeVisible()
  expect(screen.getByAltText('QR code for your authenticator app')).toBeVisible()
  expect(screen.getByText('Manual Entry Key').nextElementSibling).toHaveTextContent('JBSWY3DP')
  await person.click(button('Copy manual entry key'))
  expect(await screen.findByText('Copied')).toBeVisible()
  expect(await navigator.clipboard.readText()).toBe('JBSW Y3DP')

  const code = screen.getByLabelText('6-digit code')
  await person.type(code, '12345')
  expect(button('Enable OTP')).toBeDisabled()
  await person.type(code, '{Enter}')
  expect(await screen.findByText('Invalid Code')).toBeVisible()
  expect(screen.getByText('Please enter a valid 6-digit verification code.')).toBeVisible()

  await person.type(code, '0')
  await person.click(button('Enable OTP'))
  expect(await screen.findByText('OTP Enable Failed')).toBeVisible()
  expect(screen.getByText('That code is not right.')).toBeVisible()

  await person.type(code, '123456')
  await person.click(button('Enable OTP'))
  expect(await screen.findByText('OTP Setup Complete')).toBeVisible()
  expect(screen.getByText('Google Authenticator has been successfully enabled for your account.')).toBeVisible()
  expect(await screen.findByText('ENABLED')).toBeVisible()
  expect(screen.getByText('Enhanced (password plus one-time code)')).toBeVisible()
  expect(screen.getByText('Login process')).toBeVisible()
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
})

test('a secret that is enabled by now is kept no longer', async () => {
  const { person } = open()
  api.answer(adminSetupOtp, () => ({ qrCode: 'data:image/png;base64,', manualEntryKey: 'JBSW Y3DP', secret: 'JBSWY3DP' }))
  await person.click(await screen.findByRole('button', { name: 'Setup OTP' }))
  await screen.findByRole('dialog', { name: 'Setup OTP' })
  expect(readShownSecret()).toEqual({ secret: 'JBSWY3DP' })
  cleanup()
  open({ otpEnabled: true })
  await screen.findByText('ENABLED')
  expect(readShownSecret()).toEqual({})
})

test('where the login asks for a passkey, setting up the authenticator says that one confirms it', async () => {
  const { person } = open()
  api.answer(listAdminPasskeys, () => ({ passkeys: [], factors: ['passkey' as const], needsPassword: false }))
  api.answer(adminSetupOtp, () => ({ qrCode: 'data:image/png;base64,', manualEntryKey: 'JBSW Y3DP', secret: 'JBSWY3DP' }))
  await person.click(await screen.findByRole('button', { name: 'Setup OTP' }))

  const dialog = within(await screen.findByRole('dialog', { name: 'Setup OTP' }))
  expect(dialog.getByText('Your device will first ask for a passkey that you have already added.')).toBeVisible()
  expect(dialog.queryByLabelText('Your password')).not.toBeInTheDocument()
})

test('the authenticator is disabled with the current code, after a warning', async () => {
  const { person } = open({ otpEnabled: true })
  api.answer(adminDisableOtp, ({ body }) => check(body.token))
  expect(await screen.findByText('ENABLED')).toBeVisible()
  await person.click(button('Disable OTP'))

  const dialog = within(await screen.findByRole('dialog', { name: 'Disable OTP' }))
  expect(dialog.getByText('Disabling reduces security')).toBeVisible()
  expect(dialog.getByLabelText('Current 6-digit code')).toHaveFocus()
  expect(dialog.getByRole('button', { name: 'Disable OTP' })).toBeDisabled()
  await person.type(dialog.getByLabelText('Current 6-digit code'), '000000{Enter}')
  expect(await screen.findByText('OTP Disable Failed')).toBeVisible()
  expect(screen.getByText('That code is not right.')).toBeVisible()

  await person.type(dialog.getByLabelText('Current 6-digit code'), '123456')
  await person.click(dialog.getByRole('button', { name: 'Disable OTP' }))
  expect(await screen.findByText('OTP Disabled')).toBeVisible()
  expect(await screen.findByText('DISABLED')).toBeVisible()
  expect(button('Setup OTP')).toBeVisible()
})

test('errors without a server message have a fallback text', async () => {
  const wordless = (): never => {
    throw refusal(500, 'internal', undefined as never)
  }
  const { person } = open()
  api.answer(adminSetupOtp, wordless)
  await person.click(await screen.findByRole('button', { name: 'Setup OTP' }))
  expect(await screen.findByText('OTP Setup Failed')).toBeVisible()
  expect(screen.getByText('Failed to generate OTP setup data.')).toBeVisible()

  api.answer(adminSetupOtp, () => ({ qrCode: 'data:image/png;base64,', manualEntryKey: 'JBSW Y3DP', secret: 'JBSWY3DP' }))
  api.answer(adminEnableOtp, wordless)
  api.answer(adminDisableOtp, wordless)
  await person.click(button('Setup OTP'))
  await person.type(await screen.findByLabelText('6-digit code'), '123456{Enter}')
  expect(await screen.findByText('Failed to enable two-factor authentication.')).toBeVisible()

  api.answer(adminEnableOtp, () => ({ message: 'ok' }))
  await person.type(screen.getByLabelText('6-digit code'), '123456{Enter}')
  await person.click(await screen.findByRole('button', { name: 'Disable OTP' }))
  await person.type(await screen.findByLabelText('Current 6-digit code'), '123456{Enter}')
  expect(await screen.findByText('Failed to disable two-factor authentication.')).toBeVisible()
})
