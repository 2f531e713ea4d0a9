import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { assignBonus } from '#shared/contract/admin/bonus.ts'
import { changeSystemSetting } from '#shared/contract/admin/office.ts'
import { ApiError } from '#shared/contract/client.ts'
import { answerBackOffice } from '#pwa/testing/adminAnswers.ts'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { answerBonus, someBonusRow } from '#pwa/testing/purchaseAnswers.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'

const api = useFakeApi()
const required = () => refusal(400, 'proof_required', 'Please confirm this with a code of your authenticator or with a passkey.')

/** The only owner, with an authenticator, asks to change the price. */
async function askForPrice() {
  answerCommonCalls(api)
  answerBackOffice(api, { otpEnabled: true })
  const sent: object[] = []
  api.answer(changeSystemSetting, ({ body }) => {
    sent.push(body)
    if (body.token === undefined) throw required()
    if (body.token !== '123456') throw refusal(400, 'otp_invalid', 'Invalid verification code. Please try again.')
    return { key: body.key, value: body.value, message: 'The setting is saved.' }
  })
  const { person } = renderPage(<AdminArea />, { at: '/admin-panel?tab=settings' })
  await person.clear(await screen.findByLabelText('Price of one node (USDT)'))
  await person.type(screen.getByLabelText('Price of one node (USDT)'), '4{Enter}')
  const change = within(await screen.findByRole('dialog', { name: 'Change the node price?' }))
  await person.click(change.getByRole('button', { name: 'Change the price' }))
  expect(change.getByText('Please enter a reason.')).toBeVisible()
  expect(sent).toEqual([])
  await person.type(change.getByLabelText('Reason'), 'Costs')
  await person.click(change.getByRole('button', { name: 'Change the price' }))
  const prompt = within(await screen.findByRole('dialog', { name: "Confirm that it's you" }))
  return { person, prompt, sent }
}

test('the only owner is asked for a code above the dialog, a wrong one is asked for again, and the change is done', async () => {
  const { person, prompt, sent } = await askForPrice()
  const code = await prompt.findByLabelText('Current 6-digit code')
  expect(code).toHaveFocus()
  await person.type(code, '000000{Enter}')
  expect(await prompt.findByText('Invalid verification code. Please try again.')).toBeVisible()
  // Emptied and focused, for the next code.
  expect(code).toHaveValue('')
  expect(code).toHaveFocus()
  await person.keyboard('123456{Enter}')
  expect(await screen.findByText('A node costs 4 USDT.')).toBeVisible()
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  const change = { key: 'node_price_usdt', value: '4', replaces: '3', reason: 'Costs' }
  expect(sent).toEqual([change, { ...change, token: '000000' }, { ...change, token: '123456' }])
})

test('who closes the prompt finds everything as it was typed', async () => {
  const { person, prompt, sent } = await askForPrice()
  await person.click(prompt.getByRole('button', { name: 'Back' }))
  await waitFor(() => expect(screen.getAllByRole('dialog')).toHaveLength(1))
  expect(screen.getByLabelText('Reason')).toHaveValue('Costs')
  expect(screen.getByLabelText('Price of one node (USDT)')).toHaveValue(4)
  expect(screen.getByRole('button', { name: 'Change the price' })).toBeEnabled()
  expect(screen.queryByText('failed to update system settings')).not.toBeInTheDocument()
  expect(sent).toHaveLength(1)
})

test('what the call itself refuses is shown by its own dialog', async () => {
  const { person, prompt } = await askForPrice()
  api.answer(changeSystemSetting, () => {
    throw refusal(400, 'invalid_request', 'Too cheap.')
  })
  await person.type(await prompt.findByLabelText('Current 6-digit code'), '123456{Enter}')
  expect(await screen.findByText('Too cheap.')).toBeVisible()
  expect(screen.getByRole('dialog', { name: 'Change the node price?' })).toBeVisible()
})

test('a change that waits for a second owner says that nothing has changed, and asks for no code', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  api.answer(changeSystemSetting, () => {
    throw new ApiError(202, JSON.stringify({ message: 'Proposed. Another administrator has to approve it within 24 hours.' }))
  })
  const { person } = renderPage(<AdminArea />, { at: '/admin-panel?tab=settings' })
  await person.clear(await screen.findByLabelText('Price of one node (USDT)'))
  await person.type(screen.getByLabelText('Price of one node (USDT)'), '4{Enter}')
  await person.type(await screen.findByLabelText('Reason'), 'Costs')
  await person.click(screen.getByRole('button', { name: 'Change the price' }))
  expect(await screen.findByText('Nothing has changed yet')).toBeVisible()
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(screen.getByLabelText('Price of one node (USDT)')).toHaveValue(3)
})

test('a grant keeps its idempotency key when it is confirmed', async () => {
  answerCommonCalls(api)
  answerBackOffice(api, { otpEnabled: true })
  answerBonus(api, [someBonusRow()])
  const keys: (string | null)[] = []
  api.answer(assignBonus, ({ body }, request) => {
    keys.push(request.headers.get('idempotency-key'))
    if (!body.token) throw required()
    return { message: '3 bonus nodes are granted to mara@example.com.', nodeNumbers: [1, 2, 3] }
  })
  const { person } = renderPage(<AdminArea />, { at: '/admin-panel?tab=bonus' })
  await person.type(await screen.findByLabelText('User email'), 'mara@example.com')
  await person.clear(screen.getByLabelText('Quantity'))
  await person.type(screen.getByLabelText('Quantity'), '3')
  expect(await screen.findByText('Due: 2')).toBeVisible()
  expect(screen.getByText('This is more than is due. It counts as received.')).toBeVisible()
  await person.type(screen.getByLabelText('Reason'), 'A gift')
  await person.click(screen.getByRole('button', { name: 'Grant bonus' }))
  await person.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Grant bonus' }))
  await person.type(await screen.findByLabelText('Current 6-digit code'), '123456{Enter}')
  expect(await screen.findByText('Bonus Granted')).toBeVisible()
  expect(keys).toHaveLength(2)
  expect(new Set(keys).size).toBe(1)
})
