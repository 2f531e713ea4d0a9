import { createConfig, http } from 'wagmi'
import { defineChain } from 'viem'
import type { PublicConfig } from '#shared/contract/settings.ts'

type WagmiSource = Pick<PublicConfig, 'paymentChain' | 'rewardChain'>

/** Both chains as the server configures them. Wallets announce themselves (EIP-6963) and become connectors. */
export function createWagmiConfig({ paymentChain, rewardChain }: WagmiSource) {
  const payment = describeChain(paymentChain, 'BNB')
  const reward = describeChain(rewardChain, rewardChain.currencySymbol)
  return createConfig({
    chains: [payment, reward],
    transports: { [payment.id]: http(), [reward.id]: http() },
    // Our own flag decides whether to restore a connection (manualDisconnect.ts), so wagmi stores none.
    storage: null,
  })
}

export type WagmiConfig = ReturnType<typeof createWagmiConfig>

const describeChain = ({ chainId, name, rpcUrls, explorerUrl }: PublicConfig['paymentChain' | 'rewardChain'], symbol: string) =>
  defineChain({
    id: chainId,
    name,
    nativeCurrency: { name: symbol, symbol, decimals: 18 },
    rpcUrls: { default: { http: rpcUrls } },
    blockExplorers: { default: { name: 'Explorer', url: explorerUrl } },
  })
