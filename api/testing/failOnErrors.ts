import { afterEach, beforeEach, vi } from 'vitest'

// A test fails if it logs an error.
beforeEach(() => {
  vi.spyOn(console, 'error')
})

afterEach(() => {
  const logged = vi.mocked(console.error).mock.calls
  vi.mocked(console.error).mockRestore()
  if (logged.length > 0) throw new Error('The test logged an error.', { cause: logged })
})
