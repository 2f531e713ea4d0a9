import '@testing-library/jest-dom/vitest'
import { BroadcastChannel as Channel, threadId } from 'node:worker_threads'
import { cleanup, configure } from '@testing-library/react'
import { afterAll, afterEach, beforeEach, vi } from 'vitest'
import { SECOND } from '#shared/dates.ts'
import { resetStores } from './zustand.ts'

// React makes an error for each element. With Vitest's hundred frames these take an eighth of the tests' time.
Error.stackTraceLimit = 10

// Browser APIs that jsdom lacks.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.matchMedia ??= (media) =>
  ({ media, matches: false, addEventListener() {}, removeEventListener() {} }) as unknown as MediaQueryList
globalThis.EventSource ??= class {
  static readonly CLOSED = 2
  close() {}
} as unknown as typeof EventSource
Object.assign(Element.prototype, {
  scrollIntoView() {},
  hasPointerCapture: () => false,
  setPointerCapture() {},
  releasePointerCapture() {},
})
Object.assign(HTMLCanvasElement.prototype, { getContext: () => null })

// The tabs of a test file are those of its thread: those of others, which log out for example, are not of its browser.
globalThis.BroadcastChannel = class extends Channel {
  constructor(name: string) {
    super(`${name} of thread ${threadId}`)
  }
} as unknown as typeof BroadcastChannel

// Lazy chunks load slowly on a busy machine. The timeout does not slow down passing tests.
configure({ asyncUtilTimeout: 30_000 })

// A test whose page logs an error or a warning fails.
beforeEach(() => {
  for (const level of ['error', 'warn'] as const) {
    vi.spyOn(console, level).mockImplementation((...words: unknown[]) => {
      throw new Error(`console.${level}: ${words.map(String).join(' ')}`)
    })
  }
  vi.spyOn(window, 'addEventListener')
})

// The next test begins with a newly opened page.
afterEach(() => {
  cleanup()
  // jsdom's animation frames stop for good if their interval is left behind in a fake clock.
  if (vi.isFakeTimers()) vi.advanceTimersByTime(SECOND / 60 + 1)
  vi.useRealTimers()
  // Announced wallets, for one, would answer the next test.
  for (const [type, listener, options] of vi.mocked(window.addEventListener).mock.calls)
    window.removeEventListener(type, listener, options)
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  localStorage.clear()
  sessionStorage.clear()
  document.cookie = 'language=; Path=/; Max-Age=0'
  resetStores()
  history.replaceState(null, '', '/')
  document.head.replaceChildren()
  document.body.replaceChildren()
  for (const element of [document.documentElement, document.body])
    for (const name of element.getAttributeNames()) element.removeAttribute(name)
})

// Files share a worker (vite.config.ts), but not what their modules keep.
afterAll(() => {
  vi.resetModules()
})
