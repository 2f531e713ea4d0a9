import { act, screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { changePayoutCap, getPayoutCaps, type PayoutCaps } from '#shared/contract/admin/office.ts'
import { InLanguage } from '#pwa/i18n/InLanguage.tsx'
import { chooseLanguage, loadPart, startInLanguage } from '#pwa/i18n/language.ts'
import { amountOf } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { PayoutCapsCard } from './PayoutCapsCard.tsx'

const api = useFakeApi()

async function open(changes: Partial<PayoutCaps> = {}, at = '/admin-panel?tab=settings') {
  let caps: PayoutCaps = {
    hour: { environment: amountOf('60000'), panel: null, signed: amountOf('1200') },
    day: { environment: null, panel: null, signed: amountOf('3400') },
    ...changes,
  }
  const sent: [string, bigint | null][] = []
  api.answer(getPayoutCaps, () => caps)
  api.answer(changePayoutCap, ({ body: { period, cap } }) => {
    sent.push([period, cap])
    caps = { ...caps, [period]: { ...caps[period], panel: cap } }
    return caps
  })
  const { person } = renderPage(<InLanguage render={() => <PayoutCapsCard />} />, { at })
  const field = await screen.findByLabelText('Cap per hour (XCR)')
  return { person, sent, field, form: within(field.closest('form')!) }
}

test('each cap shows what the environment allows and what was signed', async () => {
  const { field } = await open()
  expect(field).toHaveAccessibleDescription(
    'The environment allows at most 60,000 XCR. 1,200 XCR were signed within the last hour.',
  )
  expect(screen.getByLabelText('Cap per day (XCR)')).toHaveAccessibleDescription(
    'The environment sets no cap. 3,400 XCR were signed within the last 24 hours.',
  )
})

test('a lower cap is saved at once, and the environment’s can be used again with a reason', async () => {
  const { person, sent, field, form } = await open()
  await person.type(field, '5000{Enter}')
  expect(await screen.findByRole('dialog', { name: 'Change the cap per hour?' })).toHaveAccessibleDescription(
    'Now: 60,000 XCR New: 5,000 XCR From now on, payouts of all users beyond this cap wait in their order. Nothing is lost.',
  )
  expect(sent).toEqual([])
  await person.click(screen.getByRole('button', { name: 'Change the cap' }))
  expect((await screen.findByText('Payout Caps Updated')).parentElement).toHaveTextContent('At most 5,000 XCR from now on.')
  expect(field).toHaveValue('5000')
  await person.click(form.getByRole('button', { name: "Use the environment's" }))
  await person.type(await screen.findByLabelText('Reason'), 'More sales')
  await person.click(await screen.findByRole('button', { name: 'Change the cap' }))
  expect(await screen.findByText('At most 60,000 XCR from now on.')).toBeVisible()
  expect(sent).toEqual([
    ['hour', amountOf('5000')],
    ['hour', null],
  ])
})

test.each(['x', '60001'])('the problem of %s follows the language', async (typed) => {
  const { person, field, form } = await open()
  await loadPart('office')
  await startInLanguage('ko')
  await person.type(field, `${typed}{Enter}`)
  const problem = form.getByRole('alert')
  expect(problem).toHaveTextContent(/\p{Script=Hangul}/u)
  await act(async () => void (await chooseLanguage('en')))
  expect(problem).not.toHaveTextContent(/\p{Script=Hangul}/u)
})

test('the removal of a cap says that payouts no longer wait for it', async () => {
  const { person } = await open({ day: { environment: null, panel: 0n, signed: 0n } })
  await person.click(screen.getByRole('button', { name: 'Remove the cap' }))
  expect(await screen.findByRole('dialog', { name: 'Change the cap per day?' })).toHaveAccessibleDescription(
    'Now: 0 XCR New: No cap From now on, this cap holds no payout back. Those that wait for it are signed in their order.',
  )
})

test.each([
  ['/admin-panel?tab=settings#payout-caps', true],
  ['/admin-panel?tab=settings', false],
])('%s scrolls to it: %s', async (at, isExpected) => {
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView')
  const { field } = await open({}, at)
  await new Promise(requestAnimationFrame)
  expect(scroll.mock.contexts).toEqual(isExpected ? [field.closest('section')] : [])
})

test.each([
  ['60000.1', 'The environment allows at most 60,000 XCR.'],
  ['many', 'Please enter an XCR amount of 0 or more.'],
])('%s is refused beside the field', async (text, problem) => {
  const { person, sent, field } = await open()
  await person.type(field, `${text}{Enter}`)
  expect(field).toBeInvalid()
  expect(field).toHaveAccessibleDescription(expect.stringMatching(new RegExp(`${problem.replaceAll('.', '\\.')}$`)))
  expect(sent).toEqual([])
})

test('a cap that is larger than any amount is refused beside the field, also where the environment sets none', async () => {
  const { person, sent } = await open()
  const day = screen.getByLabelText('Cap per day (XCR)')
  await person.type(day, '1000000000001{Enter}')
  expect(day).toBeInvalid()
  expect(screen.getByText('Please enter at most 1,000,000,000 XCR.')).toBeVisible()
  expect(sent).toEqual([])
})
