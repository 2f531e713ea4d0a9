import { expect, test, vi } from 'vitest'
import { startTask } from '#pwa/lib/busy.ts'
import { reloadOnce, reloadOnceForNewChunks } from './reloadOnce.ts'

function loseChunk(): Event {
  const event = new Event('vite:preloadError', { cancelable: true })
  window.dispatchEvent(event)
  return event
}

function loadVersion(name: string) {
  document.head.innerHTML = `<script type="module" src="/assets/${name}.js"></script>`
}

test('a missing chunk reloads the page once per version', () => {
  const reload = vi.fn()
  reloadOnceForNewChunks(reload)
  loadVersion('index-1')

  expect(loseChunk().defaultPrevented).toBe(true)
  expect(loseChunk().defaultPrevented).toBe(false)
  expect(reload).toHaveBeenCalledOnce()

  loadVersion('index-2')
  expect(loseChunk().defaultPrevented).toBe(true)
  expect(reload).toHaveBeenCalledTimes(2)
})

test('the page is not reloaded during a payment, but is after it', () => {
  const reload = vi.fn()
  const endPayment = startTask()
  expect(reloadOnce('a reason', reload)).toBe(false)
  expect(reload).not.toHaveBeenCalled()

  endPayment()
  expect(reloadOnce('a reason', reload)).toBe(true)
  expect(reload).toHaveBeenCalledOnce()
})
