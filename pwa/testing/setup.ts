import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'
import { useToasts } from '#pwa/ui/toast.ts'

// Browser APIs that jsdom lacks.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.matchMedia ??= (media) =>
  ({ media, matches: false, addEventListener() {}, removeEventListener() {} }) as unknown as MediaQueryList
Object.assign(Element.prototype, {
  scrollIntoView() {},
  hasPointerCapture: () => false,
  setPointerCapture() {},
  releasePointerCapture() {},
})
Object.assign(HTMLCanvasElement.prototype, { getContext: () => null })

// Lazy chunks load slowly on a busy machine. The timeout does not slow down passing tests.
configure({ asyncUtilTimeout: 10_000 })

// A test whose page logs an error or a warning fails.
beforeEach(() => {
  for (const level of ['error', 'warn'] as const) {
    vi.spyOn(console, level).mockImplementation((...words: unknown[]) => {
      throw new Error(`console.${level}: ${words.map(String).join(' ')}`)
    })
  }
})

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.restoreAllMocks()
  useToasts.setState({ toasts: [] })
  localStorage.clear()
  document.cookie = 'language=; Path=/; Max-Age=0'
  sessionStorage.clear()
})
