import { createWeb3Modal } from '@web3modal/wagmi'
import { beforeEach, expect, test, vi } from 'vitest'
import { someConfig } from '#pwa/testing/answers.ts'
import { createWagmiConfig } from './createWagmiConfig.ts'
import { openWalletConnectModal } from './walletConnectModal.ts'

const modal = vi.hoisted(() => ({
  setThemeMode: vi.fn(),
  open: async () => {},
  /** The user closes it at once. */
  subscribeState: (listener: (state: { open: boolean }) => void) => {
    queueMicrotask(() => listener({ open: false }))
    return () => {}
  },
}))
vi.mock('@web3modal/wagmi', () => ({ createWeb3Modal: vi.fn(() => modal) }))

const show = (theme: 'light' | 'dark') => (document.documentElement.dataset.theme = theme)
const open = () => openWalletConnectModal(createWagmiConfig(someConfig()), 'id').catch(() => undefined)

beforeEach(() => void show('light'))

test('the modal has the colors and the font of the page, and follows its theme', async () => {
  await open()
  expect(createWeb3Modal).toHaveBeenCalledWith(
    expect.objectContaining({
      themeMode: 'light',
      themeVariables: { '--w3m-accent': 'var(--accent)', '--w3m-font-family': '"Inter Variable", var(--system-fonts)' },
    }),
  )
  show('dark')
  await expect.poll(() => modal.setThemeMode).toHaveBeenLastCalledWith('dark')
  await open()
  show('light')
  await expect.poll(() => modal.setThemeMode).toHaveBeenLastCalledWith('light')
  expect(createWeb3Modal).toHaveBeenCalledOnce()
})
