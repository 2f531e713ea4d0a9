import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { getHealth, type HealthCheck } from '#shared/contract/admin/office.ts'
import { chooseLanguage, loadPart } from '#pwa/i18n/language.ts'
import { answerBackOffice } from '#pwa/testing/adminAnswers.ts'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'

const api = useFakeApi()

const passing: HealthCheck = { name: 'Deposit watcher', ok: true, value: 'at block 92', advice: null }
const failing: HealthCheck = { name: 'Payout wallet, XP', ok: false, value: '0.0001 XP', advice: 'Send XP to it.' }

function open(...checks: HealthCheck[]) {
  answerCommonCalls(api)
  answerBackOffice(api)
  api.answer(getHealth, () => ({ at: new Date('2026-11-20T07:31:20Z'), checks }))
  return renderPage(<AdminArea />, { at: '/admin-panel?tab=health' })
}

const rows = async () =>
  within(await screen.findByRole('list', { name: 'Checks' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent)

test('failing checks come first, with findings and advice', async () => {
  open(passing, failing)
  expect(await rows()).toEqual([
    'Payout wallet, XP0.0001 XPNeeds attentionWhat to do: Send XP to it.',
    'Deposit watcherat block 92OK',
  ])
  expect(screen.getByText(/^1 of 2 checks needs attention\./)).toHaveTextContent('Checked at 20 Nov 2026, 07:31:20 UTC.')
})

test('a healthy installation is summed up in one line', async () => {
  open(passing, { ...passing, name: 'Mail' })
  expect(await screen.findByText(/^All 2 checks passed\./)).toBeVisible()
})

test('work that waits comes after failures, with advice, and not all is said to have passed', async () => {
  const waiting = { ...passing, name: 'Withdrawals in review', value: '2', waits: true, advice: 'Open Withdrawals.' }
  open(passing, waiting)
  expect(await rows()).toEqual([
    'Withdrawals in review2Waits for youWhat to do: Open Withdrawals.',
    'Deposit watcherat block 92OK',
  ])
  expect(screen.getByText(/^No check failed\. In 1 of 2, something waits for you\./)).toBeVisible()
})

test('the refresh button refetches the health', async () => {
  const { person } = open(failing)
  expect(await rows()).toHaveLength(1)
  api.answer(getHealth, () => ({ at: new Date('2026-11-20T07:32:05Z'), checks: [passing] }))
  await person.click(screen.getByRole('button', { name: 'Refresh' }))
  expect(await screen.findByText(/07:32:05/)).toBeVisible()
  expect(await rows()).toEqual(['Deposit watcherat block 92OK'])
})

test('the last result stays if a refetch fails, which can be retried', async () => {
  const { person } = open(passing)
  await rows()
  api.answer(getHealth, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  await person.click(screen.getByRole('button', { name: 'Refresh' }))
  expect(await screen.findByText("Couldn't load the health checks")).toBeVisible()
  expect(await rows()).toHaveLength(1)

  api.answer(getHealth, () => ({ at: new Date('2026-11-20T07:33:00Z'), checks: [passing] }))
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText(/07:33:00/)).toBeVisible()
  expect(screen.queryByText("Couldn't load the health checks")).not.toBeInTheDocument()
})

test("in Korean the server's findings and advice are Korean too, with their figures", async () => {
  await loadPart('office')
  await chooseLanguage('ko')
  open({
    name: 'Payment chain, endpoint 2 (bsc.example)',
    ok: false,
    value: 'block 1204, 3 minutes old, 25 behind the best, 7 ahead of the watcher',
    advice: 'It is behind. Contact its provider or configure another endpoint.',
  })
  const [row] = within(await screen.findByRole('list', { name: '점검 항목' })).getAllByRole('listitem')
  expect(row).toHaveTextContent('결제 체인, 엔드포인트 2 (bsc.example)')
  expect(row).toHaveTextContent('1204번 블록, 3분 전, 최신보다 25블록 뒤, 감시보다 7블록 앞')
  expect(row).toHaveTextContent(/더 최신 블록을 알지 못합니다/)
  await chooseLanguage('en')
})
