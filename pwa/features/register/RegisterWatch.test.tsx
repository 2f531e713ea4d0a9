import { act } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { SECOND } from '#shared/dates.ts'
import { useConnection } from '#pwa/lib/connection.ts'
import { answerCommonCalls, someUser } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { RegisterWatch } from './RegisterWatch.tsx'

const api = useFakeApi()
const loads = vi.hoisted(() => ({ count: 0 }))
vi.mock('#pwa/register/checkByItself.ts', () => ({
  get checkByItself() {
    loads.count++
    throw new TypeError('Failed to fetch dynamically imported module')
  },
}))

test('the check is not loaded again on a page that could not load it, which would reload the page', async () => {
  vi.spyOn(console, 'info').mockImplementation(() => {})
  vi.useFakeTimers()
  answerCommonCalls(api)
  renderPage(<RegisterWatch user={someUser()} />)
  await act(() => vi.advanceTimersByTimeAsync(11 * SECOND))
  expect(loads.count).toBe(1)

  act(() => useConnection.setState({ isOffline: true }))
  act(() => useConnection.setState({ isOffline: false }))
  await act(() => vi.advanceTimersByTimeAsync(11 * SECOND))
  expect(loads.count).toBe(1)
})
