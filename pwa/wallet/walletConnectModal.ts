import { createWeb3Modal } from '@web3modal/wagmi'
import { getConnection, watchConnection } from 'wagmi/actions'
import type { WagmiConfig } from './createWagmiConfig.ts'

let modal: ReturnType<typeof createWeb3Modal> | undefined

/** The user closed the modal without choosing a wallet. It has the code of a rejection, so that no error is shown. */
class ModalClosedError extends Error {
  override name = 'ModalClosedError'
  readonly code = 4001
}

/**
 * Opens the modal of wallets on other devices and returns the connected account; null if the wallet has none on the payment chain.
 *
 * Its half a megabyte loads only on this tap.
 */
export async function openWalletConnectModal(config: WagmiConfig, projectId: string): Promise<`0x${string}` | null> {
  modal ??= createInTheme(config, projectId)
  await modal.open()
  return new Promise((resolve, reject) => {
    const stopConnection = watchConnection(config, {
      onChange: ({ status, address }) => {
        if (status !== 'connected' || !address) return
        stop()
        resolve(address)
      },
    })
    const stopState = modal!.subscribeState(({ open }) => {
      if (open) return
      stop()
      const { connector, address } = getConnection(config)
      if (connector) resolve(address ?? null)
      else reject(new ModalClosedError())
    })
    const stop = () => {
      stopConnection()
      stopState()
    }
  })
}

/** Its theme, unlike the variables of the page's style sheet, has to be set again. */
function createInTheme(config: WagmiConfig, projectId: string) {
  const created = create(config, projectId)
  const follow = new MutationObserver(() => created.setThemeMode(themeMode()))
  follow.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return created
}

const themeMode = () => (document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light')

const create = (config: WagmiConfig, projectId: string) =>
  createWeb3Modal({
    // Typed against an older wagmi, but compatible with this one.
    wagmiConfig: config as never,
    projectId,
    themeMode: themeMode(),
    themeVariables: {
      '--w3m-accent': 'var(--accent)',
      '--w3m-font-family': '"Inter Variable", var(--system-fonts)',
    },
    enableAnalytics: false,
    enableOnramp: false,
    enableSwaps: false,
    // A phone cannot scan its own code.
    allWallets: 'ONLY_MOBILE',
  })
