import { beforeEach, expect, test, vi } from 'vitest'
import { fetchChunks } from './fetchChunks.ts'
import { registerServiceWorker } from './serviceWorkerUpdates.ts'

const workers = { register: vi.fn(), getRegistrations: vi.fn() }
const wallet = vi.hoisted(() => ({ isBrowser: false }))

vi.mock('./fetchChunks.ts', () => ({ fetchChunks: vi.fn() }))
vi.mock('#pwa/wallet/isWalletBrowser.ts', () => ({ isWalletBrowser: () => wallet.isBrowser }))
vi.mock('workbox-window', () => ({
  Workbox: class {
    addEventListener() {}
    register = workers.register
  },
}))

beforeEach(() => {
  vi.spyOn(console, 'info').mockImplementation(() => {})
  vi.stubEnv('PROD', true)
  vi.stubGlobal('navigator', { serviceWorker: workers })
  vi.mocked(fetchChunks).mockReset()
  wallet.isBrowser = false
  return () => {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
  }
})

test.each([
  ['its registration fails', false, () => workers.register.mockRejectedValue(new Error('Storage is full.'))],
  ['it is a wallet', true, () => workers.getRegistrations.mockResolvedValue([])],
  ['it is a wallet that denies storage', true, () => workers.getRegistrations.mockRejectedValue(new Error('Denied.'))],
])('a browser without a service worker fetches the later chunks: %s', async (_why, isWallet, arrange) => {
  wallet.isBrowser = isWallet
  arrange()
  await registerServiceWorker()
  expect(fetchChunks).toHaveBeenCalledOnce()
})

test('one with a service worker leaves them to it', async () => {
  workers.register.mockResolvedValue(undefined)
  await registerServiceWorker()
  expect(fetchChunks).not.toHaveBeenCalled()
})
