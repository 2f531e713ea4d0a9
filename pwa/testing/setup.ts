import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'
import { useToasts } from '#pwa/ui/toast.ts'

// What a browser has and jsdom has not.
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

// A machine that is busy loads a page's later parts slowly; nothing waits longer than it has to.
configure({ asyncUtilTimeout: 10_000 })

// A test whose page logs an error or a warning fails, whatever else it finds.
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
