import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { changeSystemSetting } from '#shared/contract/admin/office.ts'
import { listSystemSettings } from '#shared/contract/settings.ts'
import { type SettingKey, settingDefaults, settingKeys } from '#shared/settings.ts'
import { DAY } from '#shared/dates.ts'
import { systemSettingsQuery } from '#pwa/lib/queries.ts'
import { answerBackOffice } from '#pwa/testing/adminAnswers.ts'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'

const api = useFakeApi()

/** Opens the settings and records what is saved. */
async function open(changes: Partial<Record<SettingKey, string>> = {}, { owners = 1 } = {}) {
  answerCommonCalls(api)
  answerBackOffice(api, { owners })
  const stored = { ...settingDefaults, ...changes }
  const sent: [SettingKey, string][] = []
  api.answer(listSystemSettings, () => settingKeys.map((key) => ({ key, value: stored[key] })))
  api.answer(changeSystemSetting, ({ body: { key, value } }) => {
    sent.push([key, value])
    stored[key] = value
    return { key, value, message: 'The setting is saved.' }
  })
  const page = renderPage(<AdminArea />, { at: '/admin-panel?tab=settings' })
  await screen.findByLabelText('Sales enabled')
  return { ...page, sent, stored }
}

type Person = Awaited<ReturnType<typeof open>>['person']

/** Confirms what the open dialog asks, with a reason. */
async function confirm(person: Person) {
  await person.type(await screen.findByLabelText('Reason'), 'Costs')
  await person.click(within(screen.getByRole('dialog')).getByRole('button', { name: /^Change the/ }))
}

const card = (title: string) => within(screen.getByRole('heading', { name: title }).closest('section')!)
const refuse = (): never => {
  throw refusal(500, 'internal', 'Something broke.')
}

test('the sections are in the specified order', async () => {
  await open()
  const titles = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)
  expect(titles.slice(titles.indexOf('Sales control'))).toEqual([
    'Sales control',
    'Sales start date and time',
    'Node price',
    'Server notice popup',
    'Withdrawal fee',
    'Fee recipient address',
    'Admin IP access control',
    'Admin credentials',
    'Daily reward',
    'Admin authenticator',
    'Caps of payouts',
    'Administrators',
    'Message to all users',
  ])
})

test('a list of the sections moves the focus to the title of each', async () => {
  const { person } = await open()
  const list = within(screen.getByRole('navigation', { name: 'Sections of the settings' }))
  const titles = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)
  expect(list.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(titles.slice(titles.indexOf('Sales control')))
  list.getByRole('button', { name: 'Administrators' }).focus()
  await person.keyboard('{Enter}')
  expect(screen.getByRole('heading', { name: 'Administrators' })).toHaveFocus()
})

test.each([
  [1, false],
  [2, true],
])(
  'with %i owners the question before a new price says that another administrator has to approve: %s',
  async (owners, isSaid) => {
    const { person } = await open({}, { owners })
    const price = screen.getByLabelText('Price of one node (USDT)')
    await person.clear(price)
    await person.type(price, '7{Enter}')
    const dialog = await screen.findByRole('dialog')
    const said = /It takes effect when another administrator approves it within 24 hours\.$/
    if (isSaid) await waitFor(() => expect(dialog).toHaveAccessibleDescription(said))
    else expect(dialog).not.toHaveAccessibleDescription(said)
  },
)

test('a saved price is shown also if an earlier question is answered after that', async () => {
  const { person, queryClient } = await open()
  const [before, isAsked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  api.answer(listSystemSettings, async () => {
    isAsked.resolve()
    await before.promise
    return settingKeys.map((key) => ({ key, value: settingDefaults[key] }))
  })
  void queryClient.invalidateQueries({ queryKey: systemSettingsQuery.queryKey })
  await isAsked.promise
  const price = screen.getByLabelText('Price of one node (USDT)')
  await person.clear(price)
  await person.type(price, '7{Enter}')
  await confirm(person)
  expect(await screen.findByText('System Settings Updated')).toBeVisible()
  before.resolve()
  await waitFor(() => expect(queryClient.isFetching({ queryKey: systemSettingsQuery.queryKey })).toBe(0))
  const shown = queryClient.getQueryData(systemSettingsQuery.queryKey)
  expect(shown?.find(({ key }) => key === 'node_price_usdt')?.value).toBe('7')
})

test('sales are stopped and started after a confirmation', async () => {
  const { person, sent } = await open()
  const control = card('Sales control')
  const sales = screen.getByRole('switch', { name: 'Sales enabled' })
  expect(control.getByText('On')).toBeVisible()

  await person.click(sales)
  await person.click(
    within(await screen.findByRole('dialog', { name: 'Stop the sale of nodes?' })).getByRole('button', { name: 'Cancel' }),
  )
  expect(sent).toEqual([])
  expect(sales).toBeChecked()

  await person.click(sales)
  await person.click(await screen.findByRole('button', { name: 'Stop sales' }))
  expect(await screen.findByText('System Settings Updated')).toBeVisible()
  expect(screen.getByText('Sales are off.')).toBeVisible()
  expect(await control.findByText('Off')).toBeVisible()
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())

  await person.click(sales)
  await person.click(await screen.findByRole('button', { name: 'Start sales' }))
  expect(await control.findByText('On')).toBeVisible()
  expect(sent).toEqual([
    ['sales_enabled', 'false'],
    ['sales_enabled', 'true'],
  ])
})

test('the notice switch takes effect without confirmation', async () => {
  const { person, sent } = await open()
  await person.click(screen.getByRole('switch', { name: 'Show the notice' }))
  expect(await screen.findByText('The server notice is shown.')).toBeVisible()
  await person.click(screen.getByRole('switch', { name: 'Show the notice' }))
  expect(await card('Server notice popup').findByText('Not shown')).toBeVisible()
  expect(sent).toEqual([
    ['server_notice_enabled', 'true'],
    ['server_notice_enabled', 'false'],
  ])
})

test('a start has a day, hour and quarter of an hour, in UTC', async () => {
  const { person, sent } = await open()
  const start = card('Sales start date and time')
  const [hour, minute] = [start.getByLabelText('Hour'), start.getByLabelText('Minute')]
  expect(hour).toHaveValue('09')
  expect(minute).toHaveValue('00')
  const choicesOf = (field: HTMLElement) =>
    within(field)
      .getAllByRole('option')
      .map(({ textContent }) => textContent)
  expect(choicesOf(hour)).toEqual(Array.from({ length: 24 }, (_, one) => String(one).padStart(2, '0')))
  expect(choicesOf(minute)).toEqual(['00', '15', '30', '45'])
  expect(start.getByRole('button', { name: 'Save' })).toBeDisabled()

  await person.selectOptions(hour, '17')
  await person.click(start.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Date Required')).toBeVisible()
  expect(start.getByLabelText('Date (UTC)')).toHaveFocus()
  expect(start.getByText('Please choose a date.')).toBeVisible()

  await person.type(start.getByLabelText('Date (UTC)'), '2099-12-24')
  await person.selectOptions(minute, '45')
  expect(start.getByText('Once saved, nobody can buy before 24 Dec 2099, 17:45 UTC.')).toBeVisible()
  await person.click(start.getByRole('button', { name: 'Save' }))
  expect(await screen.findByRole('dialog', { name: 'Change the sales start?' })).toHaveAccessibleDescription(
    'Now: Not set New: 24 Dec 2099, 17:45 UTC Once saved, nobody can buy before 24 Dec 2099, 17:45 UTC.',
  )
  await person.click(screen.getByRole('button', { name: 'Change the start' }))
  expect(await screen.findByText('Sales start on 24 Dec 2099, 17:45 UTC.')).toBeVisible()
  expect(await start.findByText('Upcoming')).toBeVisible()
  expect(start.getByRole('button', { name: 'Save' })).toBeDisabled()
  expect(sent).toEqual([['sales_start_date', '2099-12-24T17:45:00.000Z']])
})

test('a start is cleared after a confirmation that names the consequence', async () => {
  const ahead = new Date(Math.ceil(Date.now() / DAY) * DAY + 9 * (DAY / 24)).toISOString()
  const { person, sent } = await open({ sales_start_date: ahead })
  const start = card('Sales start date and time')
  expect(start.getByLabelText('Date (UTC)')).toHaveValue(ahead.slice(0, 10))

  await person.click(start.getByRole('button', { name: 'Clear' }))
  expect(await screen.findByText('Without a start, nodes can be bought right away if sales are enabled.')).toBeVisible()
  await person.click(screen.getByRole('button', { name: 'Clear the start' }))
  expect(await start.findByText('Not set')).toBeVisible()
  expect(start.getByLabelText('Date (UTC)')).toHaveValue('')
  expect(start.getByLabelText('Hour')).toHaveValue('09')
  expect(start.queryByRole('button', { name: 'Clear' })).not.toBeInTheDocument()
  expect(sent).toEqual([['sales_start_date', '']])
})

test('a past start is labeled as such', async () => {
  await open({ sales_start_date: '2026-01-02T09:00:00.000Z' })
  expect(await card('Sales start date and time').findByText('Started')).toBeVisible()
})

const typed = [
  ['Node price', 'Price of one node (USDT)', 'node_price_usdt', '3.5', 'A node costs 3.5 USDT.'],
  [
    'Node price',
    'Price of one node (USDT)',
    'node_price_usdt',
    '0.000000000000000001',
    'A node costs 0.000000000000000001 USDT.',
  ],
  ['Withdrawal fee', 'Fixed fee (XCR)', 'withdrawal_fee_amount', '0', 'A withdrawal costs 0 XCR.'],
  [
    'Fee recipient address',
    'Wallet address',
    'fee_recipient_address',
    '0x8f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b3c',
    'Fees are sent to 0x8f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b3c.',
  ],
] as const

test.each(typed)('%s: %s is saved exactly', async (title, label, key, value, toastText) => {
  const { person, sent } = await open()
  const save = card(title).getByRole('button', { name: 'Save' })
  expect(save).toBeDisabled()
  await person.clear(screen.getByLabelText(label))
  await person.type(screen.getByLabelText(label), value)
  await person.click(save)
  expect(sent).toEqual([])
  await confirm(person)

  expect(await screen.findByText(toastText)).toBeVisible()
  expect(sent).toEqual([[key, value]])
  await waitFor(() => expect(save).toBeDisabled())
})

test.each([
  ['Node price', 'Price of one node (USDT)'],
  ['Withdrawal fee', 'Fixed fee (XCR)'],
])('%s does not read a comma as nothing', async (title, label) => {
  const { person, sent } = await open()
  await person.clear(screen.getByLabelText(label))
  await person.type(screen.getByLabelText(label), '3,5')
  await person.click(card(title).getByRole('button', { name: 'Save' }))
  expect(card(title).getByText(/^A comma cannot be read here/)).toBeVisible()
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(sent).toEqual([])
})

const refused = [
  ['Node price', 'Price of one node (USDT)', '0', 'Invalid Price', 'The node price must be a USDT amount above 0.'],
  ['Node price', 'Price of one node (USDT)', '', 'Invalid Price', 'The node price must be a USDT amount above 0.'],
  ['Node price', 'Price of one node (USDT)', '-1', 'Invalid Price', 'The node price must be a USDT amount above 0.'],
  ['Withdrawal fee', 'Fixed fee (XCR)', '-0.5', 'Invalid Fee', 'The fee must be an XCR amount of 0 or more.'],
  ['Withdrawal fee', 'Fixed fee (XCR)', '', 'Invalid Fee', 'The fee must be an XCR amount of 0 or more.'],
  ['Fee recipient address', 'Wallet address', '0x12', 'Invalid Address', 'Please enter a valid Ethereum wallet address.'],
] as const

test.each(refused)('%s: %s refuses "%s"', async (title, label, value, toast, message) => {
  const { person, sent } = await open()
  await person.clear(screen.getByLabelText(label))
  if (value) await person.type(screen.getByLabelText(label), value)
  await person.click(card(title).getByRole('button', { name: 'Save' }))

  expect(await screen.findByText(toast)).toBeVisible()
  expect(card(title).getByText(message)).toBeVisible()
  expect(screen.getByLabelText(label)).toHaveFocus()
  expect(screen.getByLabelText(label)).toBeInvalid()
  expect(sent).toEqual([])

  await person.click(card(title).getByRole('button', { name: 'Undo' }))
  expect(card(title).queryByText(message)).not.toBeInTheDocument()
})

test('the price field has the printed limits', async () => {
  await open()
  const price = screen.getByLabelText('Price of one node (USDT)')
  expect(price).toHaveAttribute('min', '0.1')
  expect(price).toHaveAttribute('step', '0.1')
})

const asked = [
  [
    'Price of one node (USDT)',
    '3.5',
    'Now: 3 USDT New: 3.5 USDT Every purchase from now on costs this, for all buyers. Purchases already reserved keep their price.',
  ],
  [
    'Fixed fee (XCR)',
    '7',
    'Now: 5 XCR New: 7 XCR Every withdrawal requested from now on costs this fee, for all users. Withdrawals already requested keep theirs.',
  ],
  [
    'Price of one node (USDT)',
    '300',
    'Now: 3 USDT New: 300 USDT That is 100 times the present value. Every purchase from now on costs this, for all buyers. Purchases already reserved keep their price.',
  ],
  [
    'Fixed fee (XCR)',
    '0.5',
    'Now: 5 XCR New: 0.5 XCR The present value is 10 times that. Every withdrawal requested from now on costs this fee, for all users. Withdrawals already requested keep theirs.',
  ],
  [
    'Wallet address',
    '0x8f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b3c',
    'Now: Payout wallet New: 0x8f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b3c From the next daily transfer on, all collected fees are sent to this address. Transfers cannot be reversed.',
  ],
] as const

test.each(asked)('%s: before it is saved, both values and the consequence are shown', async (label, value, description) => {
  const { person, sent } = await open()
  await person.clear(screen.getByLabelText(label))
  await person.type(screen.getByLabelText(label), `${value}{Enter}`)
  const dialog = await screen.findByRole('dialog')
  expect(dialog).toHaveAccessibleDescription(description)
  await person.click(within(dialog).getByRole('button', { name: 'Cancel' }))
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  expect(screen.getByLabelText(label)).toHaveDisplayValue(value)
  expect(sent).toEqual([])
})

test('a value that another administrator saved while the dialog asks is not saved again', async () => {
  const { person, stored, queryClient } = await open()
  await person.clear(screen.getByLabelText('Fixed fee (XCR)'))
  await person.type(screen.getByLabelText('Fixed fee (XCR)'), '9{Enter}')
  const dialog = within(await screen.findByRole('dialog'))
  stored.withdrawal_fee_amount = '9'
  await queryClient.invalidateQueries({ queryKey: [listSystemSettings.path] })
  expect(await dialog.findByText('This is already the value. Nothing changes.')).toBeVisible()
  expect(dialog.getByRole('button', { name: 'Change the fee' })).toBeDisabled()
})

test('a value changed since this window loaded is shown in the open dialog, which keeps what was typed', async () => {
  const { person } = await open()
  const shown: unknown[] = []
  api.answer(changeSystemSetting, ({ body: { key, value, replaces } }) => {
    shown.push(replaces)
    if (replaces === '5') throw refusal(409, 'value_changed', 'Another administrator has changed this.', { value: '7' })
    return { key, value, message: 'The setting is saved.' }
  })
  await person.clear(screen.getByLabelText('Fixed fee (XCR)'))
  await person.type(screen.getByLabelText('Fixed fee (XCR)'), '9{Enter}')
  await confirm(person)
  const dialog = await screen.findByRole('dialog')
  await waitFor(() => expect(dialog).toHaveAccessibleDescription(/^Now: 7 XCR New: 9 XCR /))
  expect(screen.getByText('Changed by another administrator')).toBeVisible()
  await person.click(within(dialog).getByRole('button', { name: 'Change the fee' }))
  expect(await screen.findByText('System Settings Updated')).toBeVisible()
  expect(shown).toEqual(['5', '7'])
})

test('an equal amount in another form is not a change', async () => {
  const { person } = await open()
  await person.clear(screen.getByLabelText('Fixed fee (XCR)'))
  await person.type(screen.getByLabelText('Fixed fee (XCR)'), '5.00')
  expect(card('Withdrawal fee').getByRole('button', { name: 'Save' })).toBeDisabled()
  expect(card('Withdrawal fee').getByText('This is already the value. Nothing changes.')).toBeVisible()
})

test('without a recipient the fees are not transferred', async () => {
  const { person, sent } = await open({ fee_recipient_address: '0x8f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b3c' })
  await person.clear(screen.getByLabelText('Wallet address'))
  await person.click(card('Fee recipient address').getByRole('button', { name: 'Save' }))
  await confirm(person)
  expect(await screen.findByText('Fees stay in the payout wallet.')).toBeVisible()
  expect(sent).toEqual([['fee_recipient_address', '']])
})

test('while saving the button is busy, and a failure keeps the input', async () => {
  const { person } = await open()
  let answer = () => {}
  api.answer(changeSystemSetting, async () => {
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return refuse()
  })
  await person.clear(screen.getByLabelText('Fixed fee (XCR)'))
  await person.type(screen.getByLabelText('Fixed fee (XCR)'), '7{Enter}')
  await confirm(person)
  expect(await within(screen.getByRole('dialog')).findByRole('button', { name: 'Saving...' })).toBeDisabled()
  answer()

  expect(await screen.findByText('failed to update system settings')).toBeVisible()
  expect(screen.getByText('Something broke.')).toBeVisible()
  expect(screen.getByLabelText('Fixed fee (XCR)')).toHaveValue(7)
  expect(screen.getByLabelText('Reason')).toHaveValue('Costs')
})

test("another administrator's change is shown, but does not overwrite input", async () => {
  const { person, stored, queryClient } = await open()
  await person.clear(screen.getByLabelText('Price of one node (USDT)'))
  await person.type(screen.getByLabelText('Price of one node (USDT)'), '4')

  stored.node_price_usdt = '6'
  stored.withdrawal_fee_amount = '9'
  await queryClient.invalidateQueries({ queryKey: [listSystemSettings.path] })

  await waitFor(() => expect(screen.getByLabelText('Fixed fee (XCR)')).toHaveValue(9))
  expect(screen.getByLabelText('Price of one node (USDT)')).toHaveValue(4)
  expect(card('Node price').getByText(/^Currently 6 USDT\./)).toBeVisible()
})

test('settings that fail to load show an error in each card, which can be retried', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  api.answer(listSystemSettings, refuse)
  const { person } = renderPage(<AdminArea />, { at: '/admin-panel?tab=settings' })
  await waitFor(() => expect(screen.getAllByText("Couldn't load this setting")).toHaveLength(6))

  answerCommonCalls(api)
  await person.click(screen.getAllByRole('button', { name: 'Try again' })[0]!)
  expect(await screen.findByLabelText('Sales enabled')).toBeVisible()
})
