import { expect, test, vi } from 'vitest'
import { ApiError } from '#shared/contract/client.ts'
import { useToasts } from '#pwa/ui/toast.ts'
import { storeRequestedView, takeRequestedView } from './requestedView.ts'
import { redirectIfUnauthorized, withoutRedirect } from './unauthorized.ts'

test('a lost session shows one toast and redirects to the login half a second later', () => {
  vi.useFakeTimers()
  const leave = vi.fn()
  const lost = new ApiError(401, '{"message":"Unauthorized"}')

  redirectIfUnauthorized(lost, leave)
  redirectIfUnauthorized(lost, leave)

  expect(useToasts.getState().toasts[0]).toMatchObject({
    title: 'Unauthorized',
    description: 'You are logged out. Logging in again...',
    destructive: true,
  })
  vi.advanceTimersByTime(499)
  expect(leave).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(leave).toHaveBeenCalledExactlyOnceWith('/api/login')
})

test('other refusals do not redirect', () => {
  vi.useFakeTimers()
  const leave = vi.fn()

  redirectIfUnauthorized(new ApiError(403, '{"message":"Unauthorized"}'), leave)
  redirectIfUnauthorized(new TypeError('Failed to fetch'), leave)
  vi.advanceTimersByTime(1_000)

  expect(leave).not.toHaveBeenCalled()
})

test('the back office has its own text, and stores the open view', () => {
  vi.useFakeTimers()
  window.history.replaceState(null, '', '/admin-panel?tab=settings')
  const leave = vi.fn()

  redirectIfUnauthorized(new ApiError(401, '{"message":"Unauthorized"}'), leave)

  expect(useToasts.getState().toasts[0]).toMatchObject({
    title: 'Unauthorized – you are logged out, logging in again',
    destructive: true,
  })
  vi.advanceTimersByTime(500)
  expect(leave).toHaveBeenCalledExactlyOnceWith('/api/login')
  expect(takeRequestedView()).toBe('/admin-panel?tab=settings')
  expect(takeRequestedView(), 'returned once').toBe('/admin-panel')
  // Only pages of the panel are returned to.
  for (const pathname of ['/admin1', '/', '//evil.example/admin-panel', '/admin-panel.evil']) {
    storeRequestedView({ pathname, search: '' })
    expect(takeRequestedView(), pathname).toBe('/admin-panel')
  }
  window.history.replaceState(null, '', '/')
})

test('nobody who ends a session on purpose is sent to the login', async () => {
  vi.useFakeTimers()
  const leave = vi.fn()
  const lost = new ApiError(401, '{"message":"Unauthorized"}')

  redirectIfUnauthorized(lost, leave)
  await withoutRedirect(async () => redirectIfUnauthorized(lost, leave))
  vi.advanceTimersByTime(1_000)
  expect(leave).not.toHaveBeenCalled()
  expect(useToasts.getState().toasts.filter(({ isOpen }) => isOpen)).toEqual([])

  // An ending that is refused has ended nothing.
  await expect(withoutRedirect(() => Promise.reject(lost))).rejects.toBe(lost)
  redirectIfUnauthorized(lost, leave)
  vi.advanceTimersByTime(1_000)
  expect(leave).toHaveBeenCalledOnce()
})
