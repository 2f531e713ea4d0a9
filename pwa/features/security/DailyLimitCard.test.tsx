import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { ApiError } from '#shared/contract/client.ts'
import { otpStatus, verifyOtp } from '#shared/contract/otp.ts'
import { changeDailyLimit, type DailyLimit, getDailyLimit } from '#shared/contract/withdrawals.ts'
import { withdrawalTexts } from '#shared/withdrawalRules.ts'
import { chooseLanguage, startInLanguage } from '#pwa/i18n/language.ts'
import { InLanguage } from '#pwa/i18n/InLanguage.tsx'
import { amountOf, answerCommonCalls, someUser } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { DailyLimitCard } from './DailyLimitCard.tsx'

const api = useFakeApi()
const from = new Date('2026-11-20T07:31:00Z')
const none: DailyLimit = { limit: null, left: null, growsAt: null, next: null }
const limited = (changes: Partial<DailyLimit> = {}): DailyLimit => ({
  ...none,
  limit: amountOf('5000'),
  left: amountOf('5000'),
  ...changes,
})

/** Renders the card with a server that applies each change. */
async function open(stored: DailyLimit = none, { otpEnabled = true } = {}) {
  const sent: (bigint | null)[] = []
  let isVerified = false
  answerCommonCalls(api, { user: someUser() })
  api.answer(getDailyLimit, () => stored)
  api.answer(otpStatus, () => ({ otpEnabled, recoveryCodesLeft: 10 }))
  api.answer(verifyOtp, () => {
    isVerified = true
    return { message: 'ok' }
  })
  api.answer(changeDailyLimit, ({ body: { limit } }) => {
    sent.push(limit)
    const isRaise = stored.limit !== null && (limit === null || limit > stored.limit)
    if (isRaise && !isVerified) throw refusal(403, 'otp_required', 'Please verify your authenticator code first.')
    return isRaise ? { ...stored, next: { limit, from } } : { ...none, limit, left: limit }
  })
  const page = renderPage(<InLanguage render={() => <DailyLimitCard />} />)
  await screen.findByRole('button', { name: 'Save' })
  await waitFor(() => expect(page.queryClient.isFetching()).toBe(0))
  return { ...page, sent }
}
type Person = Awaited<ReturnType<typeof open>>['person']
const press = async (person: Person, name: string) => person.click(await screen.findByRole('button', { name }))
const field = () => screen.getByRole('textbox')
async function enterCode(person: Person) {
  await waitFor(() => expect(screen.getByLabelText('Digit 1 of 6')).toHaveFocus())
  await person.keyboard('123456')
}

test('a first limit is confirmed and counts at once', async () => {
  const { person, sent } = await open()
  expect(screen.getByText('No limit')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Remove the limit' })).not.toBeInTheDocument()
  await person.type(field(), '5000{Enter}')
  const dialog = screen.getByRole('dialog', { name: 'Limit withdrawals to 5,000 XCR within 24 hours?' })
  expect(dialog).toHaveTextContent('It counts at once. Raising it again takes 24 hours.')
  expect(sent).toEqual([])
  await press(person, 'Set the limit')
  expect(await screen.findByText('5,000 XCR')).toBeVisible()
  expect((await screen.findByText('Daily Limit Changed')).parentElement).toHaveTextContent('At most 5,000 XCR can be withdrawn')
  expect(sent).toEqual([amountOf('5000')])
})

test('a limit below the smallest withdrawal says that nothing can be withdrawn', async () => {
  const { person, sent } = await open(limited())
  await person.type(field(), '2999{Enter}')
  expect(screen.getByRole('dialog')).toHaveTextContent('so nothing can be withdrawn')
  await person.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Cancel' }))
  expect(sent).toEqual([])
})

test('a raise asks for a code, is shown with its time, and can be cancelled', async () => {
  const { person, sent } = await open(limited())
  await person.type(field(), '9000{Enter}')
  await enterCode(person)
  const note = await screen.findByRole('note')
  expect(note).toHaveTextContent('The limit will be 9,000 XCR')
  expect(note).toHaveTextContent('From 20 Nov 2026, 07:31 UTC. Until then the present limit counts.')
  await press(person, 'Keep 5,000 XCR')
  await waitFor(() => expect(screen.queryByRole('note')).not.toBeInTheDocument())
  expect(sent).toEqual([amountOf('9000'), amountOf('5000')])
})

test('a removal asks for a code and is not offered again', async () => {
  const { person, sent } = await open(limited())
  await press(person, 'Remove the limit')
  await enterCode(person)
  expect(await screen.findByRole('note')).toHaveTextContent('The limit will be removed')
  expect(screen.queryByRole('button', { name: 'Remove the limit' })).not.toBeInTheDocument()
  expect(sent).toEqual([null])
})

test('without an authenticator a raise says what is missing', async () => {
  const { person, sent } = await open(limited(), { otpEnabled: false })
  await press(person, 'Remove the limit')
  expect((await screen.findByText('Limit Not Changed')).parentElement).toHaveTextContent('You must set up Google Authenticator')
  expect(sent).toEqual([])
})

test.each(['abc', '-1', '1.123456789'])('%s is refused beside the field', async (text) => {
  const { person, sent } = await open(limited())
  await person.type(field(), `${text}{Enter}`)
  expect(field()).toBeInvalid()
  expect(field()).toHaveAccessibleDescription(expect.stringContaining('at most 8 decimals'))
  expect(sent).toEqual([])
})

test('a limit whose answer was lost is not called unchanged, and is read again', async () => {
  const { person } = await open()
  api.answer(changeDailyLimit, ({ body: { limit } }) => {
    api.answer(getDailyLimit, () => ({ ...none, limit, left: limit }))
    // Without a code it is a proxy's answer.
    throw new ApiError(502, '{}')
  })
  await person.type(field(), '5000{Enter}')
  await press(person, 'Set the limit')
  expect((await screen.findByText('Outcome Unknown')).parentElement).toHaveTextContent('It may have been done.')
  expect(screen.queryByText('Limit Not Changed')).toBeNull()
  expect(await screen.findByText('5,000 XCR')).toBeVisible()
})

test('a problem that is shown follows the language', async () => {
  const { person } = await open()
  await startInLanguage('ko')
  await person.type(field(), 'x{Enter}')
  const problem = within(field().closest('form')!).getByRole('alert')
  expect(problem).toHaveTextContent(/\p{Script=Hangul}/u)
  await act(async () => void (await chooseLanguage('en')))
  expect(problem).toHaveTextContent(withdrawalTexts.limitInvalid)
})
