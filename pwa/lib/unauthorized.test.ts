import { expect, test, vi } from 'vitest'
import { ApiError } from '#shared/contract/client.ts'
import { useToasts } from '#pwa/ui/toast.ts'
import { takeAskedView } from './askedView.ts'
import { leaveIfUnauthorized } from './unauthorized.ts'

test('a lost session says so and leaves for the login half a second later, once', () => {
  vi.useFakeTimers()
  const leave = vi.fn()
  const lost = new ApiError(401, '{"message":"Unauthorized"}')

  leaveIfUnauthorized(lost, leave)
  leaveIfUnauthorized(lost, leave)

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

test('any other refusal leaves nobody anywhere', () => {
  vi.useFakeTimers()
  const leave = vi.fn()

  leaveIfUnauthorized(new ApiError(403, '{"message":"Unauthorized"}'), leave)
  leaveIfUnauthorized(new TypeError('Failed to fetch'), leave)
  vi.advanceTimersByTime(1_000)

  expect(leave).not.toHaveBeenCalled()
})

test('in the back office it says so in its own words, and keeps what was open there', () => {
  vi.useFakeTimers()
  window.history.replaceState(null, '', '/admin-panel?tab=settings')
  const leave = vi.fn()

  leaveIfUnauthorized(new ApiError(401, '{"message":"Unauthorized"}'), leave)

  expect(useToasts.getState().toasts[0]).toMatchObject({
    title: 'Unauthorized – you are logged out, logging in again',
    destructive: true,
  })
  vi.advanceTimersByTime(500)
  expect(leave).toHaveBeenCalledExactlyOnceWith('/api/login')
  expect(takeAskedView()).toBe('?tab=settings')
  expect(takeAskedView()).toBe('')
  window.history.replaceState(null, '', '/')
})
