import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { listRewardRates, type RewardRate, scheduleRewardRate } from '#shared/contract/admin/office.ts'
import { listSystemSettings } from '#shared/contract/settings.ts'
import { DAY } from '#shared/dates.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { nextRewardAt } from '#pwa/lib/nextRewardAt.ts'
import { answerBackOffice, someRate } from '#pwa/testing/adminAnswers.ts'
import { amountOf, answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'

const api = useFakeApi()

/** Opens the settings with these rates and records what is scheduled. */
async function open(rates: RewardRate[] = [someRate()]) {
  answerCommonCalls(api)
  answerBackOffice(api)
  const known = [...rates]
  const sent: unknown[] = []
  api.answer(listRewardRates, () => known)
  api.answer(scheduleRewardRate, ({ body }) => {
    sent.push(body)
    known.unshift(someRate({ rate: body.rate, effectiveFrom: body.effectiveFrom!, setBy: 'admin:keeper' }))
    return known
  })
  const page = renderPage(<AdminArea />, { at: '/admin-panel?tab=settings' })
  const form = within(await screen.findByRole('form', { name: 'Schedule a daily reward' }))
  const rate = form.getByLabelText('New rate (XCR per node per day)')
  const schedule = form.getByRole('button', { name: 'Schedule rate' })
  const listed = () =>
    within(screen.getByRole('list', { name: 'Daily reward rates' }))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent)
  return { ...page, known, sent, form, rate, schedule, listed }
}

/** Confirms the change. */
async function confirm({ click, type }: Awaited<ReturnType<typeof open>>['person']) {
  await type(await screen.findByLabelText('Reason'), 'Decided')
  await click(screen.getByRole('button', { name: 'Change the reward' }))
}

const daysAgo = (days: number) => new Date(Date.now() - days * DAY)
const inDays = (days: number) => new Date(Date.now() + days * DAY)

test('current, scheduled and past rates are listed with their time and author', async () => {
  const [planned, current] = [inDays(2), daysAgo(3)]
  const { listed } = await open([
    someRate({ rate: amountOf('12.5'), effectiveFrom: planned, setBy: 'admin:keeper', isNext: false }),
    someRate({ rate: amountOf('11'), effectiveFrom: current, setBy: 'operator:ops', isNext: true }),
    someRate({ isNext: false }),
  ])

  expect(listed()).toEqual([
    `12.5 XCRPlannedfrom ${formatDateTime(planned)}, set by keeperTake back`,
    `11 XCRIn effect · next payoutfrom ${formatDateTime(current)}, set by ops`,
    '10 XCRPastfrom the beginning',
  ])
  expect(screen.getByText(`Since ${formatDateTime(current)}, set by ops.`)).toBeVisible()
})

test('a planned rate is taken back by the one before it, at the same time and with a reason', async () => {
  const [later, planned] = [inDays(4), inDays(2)]
  const rates = [
    someRate({ rate: amountOf('15'), effectiveFrom: later, isNext: false }),
    someRate({ rate: amountOf('12.5'), effectiveFrom: planned, isNext: false }),
    someRate({ rate: amountOf('11'), effectiveFrom: daysAgo(3), isNext: true }),
  ]
  const { person, listed, sent, known } = await open(rates)
  api.answer(scheduleRewardRate, ({ body }) => {
    sent.push(body)
    known[1] = { ...known[1]!, rate: body.rate }
    return known
  })
  await person.click(
    screen.getByRole('button', { name: `Take back the rate of 12.5 XCR, planned for ${formatDateTime(planned)}` }),
  )
  const question = await screen.findByRole('dialog', { name: 'Take back the planned rate?' })
  expect(question).toHaveAccessibleDescription(/^Planned: 12\.5 XCR New: 11 XCR /)
  const dialog = within(question)
  await person.click(dialog.getByRole('button', { name: 'Take back' }))
  expect(sent).toEqual([])
  await person.type(dialog.getByLabelText('Reason'), 'Too early')
  await person.click(dialog.getByRole('button', { name: 'Take back' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(sent).toEqual([{ rate: amountOf('11'), effectiveFrom: planned, replaces: amountOf('12.5'), reason: 'Too early' }])
  expect(listed()[1]).toBe(`11 XCRPlanned, changes nothingfrom ${formatDateTime(planned)}`)
  expect(screen.getAllByRole('button', { name: /^Take back/ })).toHaveLength(1)
})

test('a rate that is typed stays when another zone is chosen, and the times of the card follow it', async () => {
  const { rate, person } = await open([someRate({ effectiveFrom: new Date('2026-11-20T20:00:00Z'), setBy: 'operator:ops' })])
  await person.type(rate, '12.5')
  await person.selectOptions(screen.getByRole('combobox', { name: 'Times' }), 'Seoul')
  expect(await screen.findByText('Since 21 Nov 2026, 05:00 Seoul, set by ops.')).toBeVisible()
  expect(rate).toBeVisible()
  expect(rate).toHaveValue(12.5)
})

test.each(['3,5', '5,000'])('%s is not read as another number: typed or pasted, it must be written anew', async (text) => {
  const { form, rate, schedule, person, sent } = await open()
  const refused = /^A comma cannot be read here/
  await person.type(rate, text)
  expect(form.getByText(refused)).toBeVisible()
  await person.click(schedule)
  expect(screen.queryByRole('dialog')).toBeNull()
  await person.clear(rate)
  expect(form.queryByText(refused)).toBeNull()
  await person.click(rate)
  await person.paste(text)
  expect(form.getByText(refused)).toBeVisible()
  expect(rate).toHaveValue(null)
  await person.type(rate, '3.5')
  expect(form.queryByText(refused)).toBeNull()
  expect(sent).toEqual([])
})

test('a long history is collapsed', async () => {
  const { listed, person } = await open([
    someRate({ effectiveFrom: daysAgo(1) }),
    ...Array.from({ length: 7 }, (_, place) => someRate({ effectiveFrom: daysAgo(place + 2), isNext: false })),
  ])
  expect(listed()).toHaveLength(5)
  await person.click(screen.getByRole('button', { name: 'Show all 8' }))
  expect(listed()).toHaveLength(8)
})

test('a rate is scheduled for the next payout by default', async () => {
  const { form, rate, schedule, person, sent, listed } = await open()
  const next = nextRewardAt(new Date())
  expect(form.getByLabelText('Date (UTC)')).toHaveValue(next.toISOString().slice(0, 10))
  expect(form.getByLabelText('Hour')).toHaveValue('09')
  expect(form.getByLabelText('Minute')).toHaveValue('00')
  expect(form.getByText(/^First paid on/)).toHaveTextContent(`First paid on ${formatDateTime(next)}.`)
  expect(schedule).toBeDisabled()

  await person.type(rate, '12.123456789012345678')
  await person.click(schedule)
  expect(await screen.findByRole('dialog', { name: 'Change the daily reward?' })).toHaveAccessibleDescription(
    `Now: 10 XCR New: 12.123456789012345678 XCR Every active node of every user earns this from the payout on ${formatDateTime(next)}. Rewards already paid stay as they are.`,
  )
  expect(sent).toEqual([])
  await confirm(person)
  expect(await screen.findByText('Daily Reward Scheduled')).toBeVisible()
  expect(screen.getByText(`12.123456789012345678 XCR per node per day, from ${formatDateTime(next)}.`)).toBeVisible()
  expect(sent).toEqual([
    { rate: amountOf('12.123456789012345678'), effectiveFrom: next, replaces: amountOf('10'), reason: 'Decided' },
  ])
  expect(rate).toHaveValue(null)
  expect(listed()[0]).toContain('12.123456789012345678 XCRPlanned')
})

test('a morning rate is first paid at nine, an afternoon rate a day later', async () => {
  const { form, rate, schedule, person, sent } = await open()
  await person.type(rate, '0')
  await person.clear(form.getByLabelText('Date (UTC)'))
  await person.type(form.getByLabelText('Date (UTC)'), '2099-03-01')
  await person.selectOptions(form.getByLabelText('Hour'), '08')
  expect(form.getByText(/^First paid on 01 Mar 2099, 09:00 UTC\./)).toBeVisible()
  await person.selectOptions(form.getByLabelText('Hour'), '09')
  expect(form.getByText(/^First paid on 01 Mar 2099, 09:00 UTC\./)).toBeVisible()
  await person.selectOptions(form.getByLabelText('Minute'), '15')
  expect(form.getByText(/^First paid on 02 Mar 2099, 09:00 UTC\./)).toBeVisible()

  await person.click(schedule)
  await confirm(person)
  expect(await screen.findByText('Daily Reward Scheduled')).toBeVisible()
  expect(sent).toEqual([
    { rate: 0n, effectiveFrom: new Date('2099-03-01T09:15:00Z'), replaces: amountOf('10'), reason: 'Decided' },
  ])
})

test('a negative rate or a past time is refused', async () => {
  const { form, rate, schedule, person, sent } = await open()
  await person.type(rate, '-1')
  await person.click(schedule)
  expect(await screen.findByText('Invalid Rate')).toBeVisible()
  expect(form.getByText('The daily reward must be an XCR amount of 0 or more.')).toBeVisible()
  expect(rate).toHaveFocus()

  await person.clear(rate)
  await person.type(rate, '5')
  await person.clear(form.getByLabelText('Date (UTC)'))
  await person.click(schedule)
  expect(await screen.findByText('Date Required')).toBeVisible()

  await person.type(form.getByLabelText('Date (UTC)'), '2026-01-01')
  await person.click(schedule)
  expect(await screen.findByText('Invalid Time')).toBeVisible()
  expect(form.getByText('Please choose a time in the future.')).toBeVisible()
  expect(sent).toEqual([])
})

test('a refusal by the server is shown, and the input stays', async () => {
  const { rate, schedule, person } = await open()
  api.answer(scheduleRewardRate, () => {
    throw refusal(400, 'invalid_request', 'That day is closed.')
  })
  await person.type(rate, '5')
  await person.click(schedule)
  await confirm(person)
  expect(await screen.findByText('failed to update system settings')).toBeVisible()
  expect(screen.getByText('That day is closed.')).toBeVisible()
  expect(rate).toHaveValue(5)
})

test("another administrator's rate appears with the event of the changed settings", async () => {
  const { known, queryClient, listed } = await open()
  known.unshift(someRate({ rate: amountOf('13'), effectiveFrom: inDays(1), setBy: 'admin:other', isNext: false }))
  await queryClient.invalidateQueries({ queryKey: [listSystemSettings.path] })
  await waitFor(() => expect(listed()[0]).toContain('13 XCRPlanned'))
})
