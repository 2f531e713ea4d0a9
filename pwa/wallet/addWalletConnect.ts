import type { Connector } from 'wagmi'
import { walletConnect } from 'wagmi/connectors'
import type { WagmiConfig } from './createWagmiConfig.ts'
import { WALLET_CONNECT } from './lastWallet.ts'

/**
 * Adds WalletConnect, whose wallets are on other devices or in other apps, to the wallets of the page; at most once.
 *
 * Its quarter of a megabyte loads only now, and only from now on does it contact third parties.
 */
export function addWalletConnect(config: WagmiConfig, projectId: string): Connector {
  const known = config.connectors.find(({ id }) => id === WALLET_CONNECT)
  if (known) return known
  // wagmi remembers in its storage for which chains a session was made, and ends all others. We give it no storage.
  const connector = config._internal.connectors.setup(walletConnect({ projectId, showQrModal: false, isNewChainsStale: false }))
  config._internal.connectors.setState((connectors) => [...connectors, connector])
  return connector
}
