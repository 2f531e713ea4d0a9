import { act, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { startTask } from '#pwa/lib/busy.ts'
import { recordCopy, useConnection } from '#pwa/lib/connection.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { useToasts } from '#pwa/ui/toast.ts'
import { OfflineNotice, UpdateNotice } from './Notices.tsx'
import { applyUpdate, checkForUpdates, useUpdate } from './serviceWorkerUpdates.ts'

test('the offline bar names the oldest data, and disabled buttons explain why', () => {
  render(
    <>
      <OfflineNotice />
      <Button needsServer>Withdraw</Button>
      <Button>Close</Button>
      <Button type="submit" aria-label="Pay 30 USDT for ten nodes">
        Pay
      </Button>
    </>,
  )
  expect(screen.getByRole('status')).toBeEmptyDOMElement()

  act(() => {
    recordCopy(new Date('2026-11-20T11:00:00Z'))
    recordCopy(new Date('2026-11-20T09:30:00Z'))
    recordCopy(new Date('2026-11-20T12:00:00Z'))
  })
  expect(screen.getByRole('status')).toHaveTextContent('No connection. Figures as of 20 Nov 2026, 09:30 UTC.')
  expect(screen.getByRole('button', { name: 'Withdraw No connection' })).toBeDisabled()
  expect(screen.getByRole('button', { name: 'Pay 30 USDT for ten nodes. No connection' })).toBeDisabled()
  expect(screen.getByRole('button', { name: 'Close' })).toBeEnabled()

  act(() => useConnection.setState(useConnection.getInitialState()))
  expect(screen.getByRole('status')).toBeEmptyDOMElement()

  // Without a copy the page shows the defaults, such as no sold node.
  act(() => useConnection.setState({ isOffline: true }))
  expect(screen.getByRole('status')).toHaveTextContent('No connection. Figures on this page may be wrong.')
  act(() => useConnection.setState(useConnection.getInitialState()))
  expect(screen.getByRole('button', { name: 'Withdraw' })).toBeEnabled()
})

test('a new version is offered once no task is running, and loaded on request', async () => {
  const workbox = { addEventListener: vi.fn(), messageSkipWaiting: vi.fn() }
  const endPayment = startTask()
  render(<UpdateNotice />)
  act(() => useUpdate.setState({ apply: () => applyUpdate(workbox) }))
  expect(screen.queryByText('A new version is ready.')).not.toBeInTheDocument()

  act(endPayment)
  await userEvent.click(await screen.findByRole('button', { name: 'Reload' }))
  await waitFor(() => expect(workbox.messageSkipWaiting).toHaveBeenCalledOnce())
})

test('a new version that takes long to become active is loaded all the same', async () => {
  vi.useFakeTimers()
  const workbox = { addEventListener: vi.fn(), messageSkipWaiting: vi.fn() }
  const reload = vi.fn()
  await applyUpdate(workbox, reload)
  expect(reload).not.toHaveBeenCalled()
  vi.advanceTimersByTime(5 * SECOND)
  expect(reload).toHaveBeenCalledOnce()
})

test('a page that is busy when the new version becomes active keeps its version', async () => {
  vi.useFakeTimers()
  const workbox = { addEventListener: vi.fn(), messageSkipWaiting: vi.fn() }
  const reload = vi.fn()
  await applyUpdate(workbox, reload)
  const endPayment = startTask()
  vi.advanceTimersByTime(5 * SECOND)
  endPayment()
  expect(reload).not.toHaveBeenCalled()
})

test('no version is activated during a payment', async () => {
  const workbox = { addEventListener: vi.fn(), messageSkipWaiting: vi.fn() }
  const endPayment = startTask()
  await applyUpdate(workbox)
  endPayment()

  expect(workbox.messageSkipWaiting).not.toHaveBeenCalled()
  expect(useToasts.getState().toasts[0]).toMatchObject({ title: 'Not Yet Updated' })
})

test('a visible page checks for a newer version, but not on every focus', () => {
  vi.useFakeTimers({ now: 0 })
  const check = vi.fn(async () => {})
  checkForUpdates(check)
  window.dispatchEvent(new Event('focus'))
  expect(check).not.toHaveBeenCalled()

  for (const [at, event] of [
    [2 * MINUTE, 'focus'],
    [4 * MINUTE, 'pageshow'],
  ] as const) {
    vi.setSystemTime(at)
    window.dispatchEvent(new Event(event))
    window.dispatchEvent(new Event(event))
  }
  vi.setSystemTime(6 * MINUTE)
  document.dispatchEvent(new Event('visibilitychange'))
  expect(check).toHaveBeenCalledTimes(3)
})
