import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { type AdminStats, getAdminStats, resetVesting, startVesting } from '#shared/contract/admin/office.ts'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { answerBackOffice, someAdminStats } from '#pwa/testing/adminAnswers.ts'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'

const api = useFakeApi()
const button = (name: string) => screen.getByRole('button', { name })
const card = async (title: string) => (await screen.findByRole('heading', { name: title })).closest('section')!

function open(stats: Partial<AdminStats> = {}) {
  answerCommonCalls(api)
  answerBackOffice(api, { stats })
  return renderPage(<AdminArea />, { at: '/admin-panel' })
}

/** Stores the vesting state and counts how often the figures are read. */
function keepVesting(started: Date | null) {
  const vesting = { started, read: 0 }
  api.answer(getAdminStats, () => {
    vesting.read += 1
    return someAdminStats({ vestingStartDate: vesting.started })
  })
  api.answer(startVesting, () => {
    vesting.started = new Date('2026-11-20T07:31:00Z')
    return { message: 'Vesting has started.' }
  })
  api.answer(resetVesting, () => {
    vesting.started = null
    return { message: 'The start date is cleared.' }
  })
  return vesting
}

test('four cards show users, nodes sold and granted, revenue, and the vesting start', async () => {
  open({ vestingStartDate: new Date('2026-11-20T23:31:00Z') })
  expect(await card('Total users')).toHaveTextContent('1,234')
  expect(await card('Total nodes')).toHaveTextContent(/330.*300 sold, 30 bonus given/)
  expect(await card('Total revenue')).toHaveTextContent('900 USDT')
  expect(await card('Vesting start date')).toHaveTextContent(/20 Nov 2026.*Matures 20 Nov 2031 \(UTC\)/)
})

test('without permission the figures are zero, and no error is shown', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  api.answer(getAdminStats, () => {
    throw refusal(403, 'forbidden', 'Not for you.')
  })
  renderPage(<AdminArea />, { at: '/admin-panel' })
  expect(await card('Total users')).toHaveTextContent('Total users0')
  expect(await card('Total nodes')).toHaveTextContent('0 sold, 0 bonus given')
  expect(await card('Total revenue')).toHaveTextContent('0 USDT')
  expect(screen.queryByText('Failed to fetch admin stats')).not.toBeInTheDocument()
})

test('figures that failed to load can be retried, and the tabs work meanwhile', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  api.answer(getAdminStats, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  const { person } = renderPage(<AdminArea />, { at: '/admin-panel' })
  expect(await screen.findByText('Failed to fetch admin stats')).toBeVisible()
  expect(screen.getByRole('tab', { name: 'Users management' })).toBeVisible()

  api.answer(getAdminStats, () => someAdminStats())
  await person.click(button('Try again'))
  expect(await card('Total users')).toHaveTextContent('1,234')
})

test('vesting starts after a confirmation, and affected data is refetched', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  const vesting = keepVesting(null)
  const { person, queryClient } = renderPage(<AdminArea />, { at: '/admin-panel' })
  queryClient.setQueryData([getNodeStats.path], {})
  queryClient.setQueryData(['/api/admin/purchases', {}], {})
  expect(await card('Vesting start date')).toHaveTextContent(/Not started.*Matures 5 years after the start/)

  await person.click(button('Start vesting'))
  await person.click(within(screen.getByRole('dialog', { name: 'Start vesting now?' })).getByRole('button', { name: 'Cancel' }))
  expect(vesting.started).toBeNull()

  await person.click(button('Start vesting'))
  expect(screen.getByRole('dialog')).toHaveAccessibleDescription(/^Now: Not started New: Started now The five-year/)
  await person.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Start vesting' }))
  expect(await screen.findByText('Vesting Started')).toBeVisible()
  expect(screen.getByText('Vesting has started.')).toBeVisible()
  expect(await screen.findByText('Matures 20 Nov 2031 (UTC)')).toBeVisible()
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  for (const key of [[getNodeStats.path], ['/api/admin/purchases', {}]])
    expect(queryClient.getQueryState(key)?.isInvalidated).toBe(true)
})

test('vesting is reset after a confirmation that names its date', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  keepVesting(new Date('2026-11-20T07:31:00Z'))
  const { person } = renderPage(<AdminArea />, { at: '/admin-panel' })
  await person.click(await screen.findByRole('button', { name: 'Reset vesting' }))
  const question = screen.getByRole('dialog', { name: 'Reset the vesting that started on 20 Nov 2026?' })
  expect(question).toHaveAccessibleDescription(/^Now: 20 Nov 2026 \(UTC\) New: Not started .*This can't be undone\.$/)
  await person.type(within(question).getByLabelText('Reason'), 'Too early')
  await person.click(within(question).getByRole('button', { name: 'Reset vesting' }))
  expect(await screen.findByText('Vesting Reset')).toBeVisible()
  expect(await screen.findByText('Not started')).toBeVisible()
})

test.each([
  ['start', startVesting, null, 'Vesting has started already.'],
  ['reset', resetVesting, new Date('2026-11-20T07:31:00Z'), 'Vesting has not started.'],
] as const)(
  'a %s that another administrator did first says so, and shows the current state',
  async (deed, endpoint, before, message) => {
    answerCommonCalls(api)
    answerBackOffice(api)
    const vesting = keepVesting(before)
    const { person } = renderPage(<AdminArea />, { at: '/admin-panel' })
    const name = deed === 'start' ? 'Start vesting' : 'Reset vesting'
    await person.click(await screen.findByRole('button', { name }))

    vesting.started = before ? null : new Date('2026-11-20T07:31:00Z')
    api.answer(endpoint, () => {
      throw refusal(409, 'vesting_conflict', message)
    })
    if (deed === 'reset') await person.type(screen.getByLabelText('Reason'), 'Too early')
    await person.click(within(screen.getByRole('dialog')).getByRole('button', { name }))
    expect(await screen.findByText(`Vesting ${deed} failed`)).toBeVisible()
    expect(screen.getByText(message)).toBeVisible()
    expect(await screen.findByRole('button', { name: before ? 'Start vesting' : 'Reset vesting' })).toBeVisible()
  },
)
