import { beforeEach, expect, test, vi } from 'vitest'
import { startTask } from '#pwa/lib/busy.ts'
import { reloadOnce, reloadOnceForNewChunks } from './reloadOnce.ts'

let isConnected = true
beforeEach(() => {
  isConnected = true
  vi.stubGlobal('fetch', async () => {
    if (!isConnected) throw new TypeError('Failed to fetch')
    return Response.json({})
  })
})

async function loseChunk() {
  window.dispatchEvent(new Event('vite:preloadError', { cancelable: true }))
  await new Promise((resolve) => setTimeout(resolve))
}

function loadVersion(name: string) {
  document.head.innerHTML = `<script type="module" src="/assets/${name}.js"></script>`
}

test('a missing chunk reloads the page once per version', async () => {
  const reload = vi.fn()
  reloadOnceForNewChunks(reload)
  loadVersion('index-1')

  await loseChunk()
  await loseChunk()
  expect(reload).toHaveBeenCalledOnce()

  loadVersion('index-2')
  await loseChunk()
  expect(reload).toHaveBeenCalledTimes(2)
})

test('without a connection a missing chunk does not reload the page, and after it one does', async () => {
  const reload = vi.fn()
  reloadOnceForNewChunks(reload)
  loadVersion('index-3')

  isConnected = false
  await loseChunk()
  expect(reload).not.toHaveBeenCalled()

  isConnected = true
  await loseChunk()
  expect(reload).toHaveBeenCalledOnce()
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
