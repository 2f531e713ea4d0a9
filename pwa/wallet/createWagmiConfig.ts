import { createConfig, type CreateConnectorFn, http } from 'wagmi'
import { walletConnect } from 'wagmi/connectors'
import { defineChain, getAddress } from 'viem'
import type { PublicConfig } from '#shared/contract/settings.ts'

type WagmiSource = Pick<PublicConfig, 'paymentChain' | 'rewardChain' | 'walletConnectProjectId'>

/** Both chains as the server configures them. Wallets announce themselves (EIP-6963) and become connectors, beside WalletConnect. */
export function createWagmiConfig({ paymentChain, rewardChain, walletConnectProjectId }: WagmiSource) {
  const payment = describeChain(paymentChain, 'BNB')
  const reward = describeChain(rewardChain, rewardChain.currencySymbol)
  return createConfig({
    chains: [payment, reward],
    transports: { [payment.id]: http(), [reward.id]: http() },
    connectors: walletConnectProjectId ? [createWalletConnect(walletConnectProjectId)] : [],
    // Our own flag decides whether to restore a connection (manualDisconnect.ts), so wagmi stores none.
    storage: null,
  })
}

export type WagmiConfig = ReturnType<typeof createWagmiConfig>

/**
 * WalletConnect, whose wallets are in other apps or on other devices. Without `setup`, which would load its quarter of a megabyte before
 * anybody asks for it.
 */
const createWalletConnect =
  (projectId: string): CreateConnectorFn =>
  (config) => {
    // wagmi would keep in its storage for which chains a connection was made, and end all others when they are restored.
    const { setup: _, ...connector } = walletConnect({ projectId, showQrModal: false, isNewChainsStale: false })(config)
    return {
      ...connector,
      async connect(parameters) {
        const provider = await connector.getProvider()
        // A connection may be left over, because it or the message of its end was lost. The user may now choose another wallet.
        if (!parameters?.isReconnecting && provider.session) await provider.disconnect()
        return connector.connect(parameters)
      },
      // The provider keeps the list of the chain that it started on.
      async getAccounts() {
        const provider = await connector.getProvider()
        if (!provider.session) return []
        return (await provider.request<string[]>({ method: 'eth_accounts' })).map((account) => getAddress(account))
      },
    }
  }

const describeChain = ({ chainId, name, rpcUrls, explorerUrl }: PublicConfig['paymentChain' | 'rewardChain'], symbol: string) =>
  defineChain({
    id: chainId,
    name,
    nativeCurrency: { name: symbol, symbol, decimals: 18 },
    rpcUrls: { default: { http: rpcUrls } },
    blockExplorers: { default: { name: 'Explorer', url: explorerUrl } },
  })
