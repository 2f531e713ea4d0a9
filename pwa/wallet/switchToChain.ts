import { SECOND } from '#shared/dates.ts'
import type { Eip1193Provider } from './Eip1193Provider.ts'
import { readChainId } from './usdtCalls.ts'
import { refusalOf, type WalletRefusal } from './walletErrors.ts'
import { withTimeout } from './withTimeout.ts'

/** The parameters for adding a chain to a wallet. */
export interface WalletChain {
  chainId: number
  name: string
  currencySymbol: string
  rpcUrls: string[]
  explorerUrl: string
}

/** The result. Unless `ready`, the wallet is still on its earlier chain. */
export type ChainSwitch = 'ready' | WalletRefusal

/** Timeouts for wallets that never answer. Adding a chain takes users longer to read. */
const timeLimits = { switch: 20 * SECOND, add: 60 * SECOND }

/**
 * Switches the wallet to a chain, and adds the chain if the wallet does not know it.
 *
 * No await comes before the first request, so that the tap's user activation is still valid; a wallet already on the chain
 * answers without a prompt. Wallets report an unknown chain in at least five ways, so the chain is added after every error except
 * the user's rejection. Some wallets resolve either call without switching, so the chain id is read after each; some switch
 * without ever answering, so it is read after the timeout too.
 */
export async function switchToChain(provider: Eip1193Provider, chain: WalletChain, limits = timeLimits): Promise<ChainSwitch> {
  const chainId = `0x${chain.chainId.toString(16)}`
  const isThere = async () => (await withTimeout(readChainId(provider), limits.switch)) === chain.chainId
  const ask = (method: string, parameters: object, limit = limits.switch) =>
    withTimeout(provider.request({ method, params: [parameters] }), limit)

  try {
    try {
      await ask('wallet_switchEthereumChain', { chainId })
    } catch (error) {
      if (refusalOf(error) !== 'failed') throw error
    }
    if (await isThere()) return 'ready'
    await ask(
      'wallet_addEthereumChain',
      {
        chainId,
        chainName: chain.name,
        nativeCurrency: { name: chain.currencySymbol, symbol: chain.currencySymbol, decimals: 18 },
        rpcUrls: chain.rpcUrls,
        blockExplorerUrls: [chain.explorerUrl],
      },
      limits.add,
    )
    if (await isThere()) return 'ready'
    // Added, but the wallet did not switch.
    await ask('wallet_switchEthereumChain', { chainId })
    return (await isThere()) ? 'ready' : 'failed'
  } catch (error) {
    // Some wallets switch first and then fail, or never answer.
    if (await isThere().catch(() => false)) return 'ready'
    return refusalOf(error)
  }
}
