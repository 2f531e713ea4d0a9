import { afterEach, expect, test, vi } from 'vitest'
import { makeWallet } from '#pwa/testing/fakeWallet.ts'
import { findInjected, onceProviderInjected } from './findInjected.ts'

const provider = (flags: object = {}) => Object.assign(makeWallet(), flags)
afterEach(() => {
  delete (window as { ethereum?: unknown }).ethereum
})

const okx = provider({ isMetaMask: true })
test.each<[string, object, string]>([
  ['Trust Wallet', { ethereum: provider({ isMetaMask: true, isTrust: true }) }, 'its flag, whatever else it claims'],
  ['TokenPocket', { ethereum: provider({ isMetaMask: true, isTokenPocket: true }) }, 'its flag'],
  ['OKX Wallet', { ethereum: okx, okxwallet: okx }, 'the place that is its own'],
  ['OKX Wallet', { okxwallet: provider() }, 'its own place alone'],
  ['Bitget Wallet', { bitkeep: { ethereum: provider() } }, 'its own place alone'],
  ['SafePal', { safepalProvider: provider() }, 'its own place alone'],
  ['Binance Wallet', { binancew3w: { ethereum: provider() } }, 'its own place alone'],
  ['Browser wallet', { ethereum: provider({ isMetaMask: true }) }, 'nothing: that flag is set by many'],
])('%s is named by its flags: %#', (name, page) => {
  expect(findInjected(page)?.name).toBe(name)
})

test('a value that is not a provider is ignored', () => {
  expect(findInjected({ ethereum: null, okxwallet: 'yes', bitkeep: {} })).toBeUndefined()
})

test('a provider injected late is found once', () => {
  vi.useFakeTimers()
  const found = vi.fn<() => void>()
  onceProviderInjected(found)
  vi.advanceTimersByTime(1_000)
  expect(found).not.toHaveBeenCalled()

  Object.assign(window, { ethereum: provider() })
  vi.advanceTimersByTime(1_000)
  window.dispatchEvent(new Event('ethereum#initialized'))
  expect(found).toHaveBeenCalledOnce()
})

test('one that fires its event is found however late', () => {
  vi.useFakeTimers()
  const found = vi.fn<() => void>()
  onceProviderInjected(found)
  vi.advanceTimersByTime(60_000)
  Object.assign(window, { ethereum: provider() })
  window.dispatchEvent(new Event('ethereum#initialized'))
  expect(found).toHaveBeenCalledOnce()
})
