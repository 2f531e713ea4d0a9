import { act, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { setupStatus } from '#shared/contract/setup.ts'
import { SECOND } from '#shared/dates.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { SetupGate } from './SetupGate.tsx'

const api = useFakeApi()
const page = (
  <SetupGate>
    <p>The page</p>
  </SetupGate>
)

test('a fresh installation redirects to its setup', async () => {
  api.answer(setupStatus, () => ({ setupRequired: true }))
  const { location } = renderPage(page, { at: '/purchase' })

  expect(screen.getByText('Loading')).toBeVisible()
  await expect.poll(location).toBe('/setup')
})

test('a configured installation shows its pages', async () => {
  api.answer(setupStatus, () => ({ setupRequired: false }))
  renderPage(page)

  expect(await screen.findByText('The page')).toBeVisible()
})

test('if the status request fails the page is shown, and the failure is logged', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  api.answer(setupStatus, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  renderPage(page)

  expect(await screen.findByText('The page')).toBeVisible()
  expect(log).toHaveBeenCalledOnce()
})

test('a status request that hangs shows the page after four seconds, and its answer still counts', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  let answer = () => {}
  api.answer(setupStatus, () => new Promise((resolve) => (answer = () => resolve({ setupRequired: true }))))
  const { location } = renderPage(page, { at: '/purchase' })
  expect(screen.getByText('Loading')).toBeVisible()

  await act(() => vi.advanceTimersByTimeAsync(4 * SECOND))
  expect(screen.getByText('The page')).toBeVisible()
  answer()
  await expect.poll(location).toBe('/setup')
})

test('after a failed request the page stays while the status is asked for again', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  api.answer(setupStatus, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  const { queryClient } = renderPage(page)
  expect(await screen.findByText('The page')).toBeVisible()

  api.answer(setupStatus, () => new Promise(() => {}))
  act(() => void queryClient.invalidateQueries())
  await waitFor(() => expect(queryClient.isFetching()).toBe(1))
  expect(screen.getByText('The page')).toBeVisible()
})

test('/setup does not request the status', () => {
  renderPage(page, { at: '/setup' })

  expect(screen.getByText('The page')).toBeVisible()
})
