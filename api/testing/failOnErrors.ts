import { afterEach, beforeEach, expect, vi } from 'vitest'

// A test that logs an error has failed, whatever it looked at.
beforeEach(() => {
  vi.spyOn(console, 'error')
})

afterEach(() => {
  const logged = vi.mocked(console.error).mock.calls
  vi.mocked(console.error).mockRestore()
  expect(logged, 'logged as errors').toEqual([])
})
