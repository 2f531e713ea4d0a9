import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { disableOtp, enableOtp, otpStatus, setupOtp } from '#shared/contract/otp.ts'
import { answerWorld, someUser } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { SecurityPage } from './SecurityPage.tsx'

const api = useFakeApi()

function setUp({ isEnabled = false } = {}) {
  answerWorld(api, { user: someUser() })
  api.answer(otpStatus, () => ({ otpEnabled: isEnabled, recoveryCodesLeft: isEnabled ? 10 : 0 }))
  api.answer(setupOtp, () => ({ qrCode: 'data:image/png;base64,', manualEntryKey: 'JBSW Y3DP', secret: 'JBSWY3DP' }))
  const check = (token: string) => {
    if (token !== '123456') throw refusal(400, 'otp_invalid', 'That code is not right.')
    return { message: 'ok' }
  }
  api.answer(enableOtp, ({ body }) => ({ ...check(body.token), recoveryCodes: [] }))
  api.answer(disableOtp, ({ body }) => check(body.token))
  return renderPage(<SecurityPage />)
}

test('a visitor is asked to log in, and nothing personal is asked for', async () => {
  answerWorld(api)
  renderPage(<SecurityPage />)

  expect(await screen.findByText('Login Required')).toBeVisible()
  expect(screen.getByText('Please log in to access security settings.')).toBeVisible()
})

test('the authenticator is set up with a key and a code, and the dialog closes by itself', async () => {
  const { person } = setUp()
  await person.click(await screen.findByRole('button', { name: 'Setup OTP' }))
  await person.click(screen.getByRole('button', { name: 'Enable OTP Authentication' }))

  expect((await screen.findByText('Manual Entry Key')).nextElementSibling).toHaveTextContent('JBSWY3DP')
  expect(screen.getByAltText('QR code for your authenticator app')).toBeVisible()
  expect(screen.getByRole('button', { name: 'Verify & Enable' })).toBeDisabled()

  await person.type(screen.getByLabelText('6-digit code'), '000000')
  await person.click(screen.getByRole('button', { name: 'Verify & Enable' }))
  expect(await screen.findByText('That code is not right.')).toBeVisible()

  await person.type(screen.getByLabelText('6-digit code'), '123456{Enter}')
  expect(await screen.findByText('OTP Enabled Successfully')).toBeVisible()
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument(), { timeout: 3_000 })
  expect(screen.getByText('Enabled')).toBeVisible()
  expect(screen.getByRole('button', { name: 'Manage OTP' })).toBeVisible()
})

test('the authenticator is switched off with a code', async () => {
  const { person } = setUp({ isEnabled: true })
  await person.click(await screen.findByRole('button', { name: 'Manage OTP' }))

  await person.type(screen.getByLabelText('6-digit code'), '123456')
  await person.click(screen.getByRole('button', { name: 'Disable OTP' }))

  expect(await screen.findByText('OTP Disabled')).toBeVisible()
  expect(await screen.findByText('Disabled')).toBeVisible()
})
