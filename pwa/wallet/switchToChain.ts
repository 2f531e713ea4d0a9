import { SECOND } from '#shared/dates.ts'
import type { Eip1193Provider } from './Eip1193Provider.ts'
import { readChainId } from './usdtCalls.ts'
import { isAlreadyPending, isRejection } from './walletErrors.ts'
import { WalletTimeoutError, withTimeLimit } from './withTimeLimit.ts'

/** What a wallet has to know of a chain to add it. */
export interface WalletChain {
  chainId: number
  name: string
  currencySymbol: string
  rpcUrls: string[]
  explorerUrl: string
}

/** What came of the attempt. Anything but `ready` leaves the wallet where it was. */
export type ChainSwitch = 'ready' | 'rejected' | 'pending' | 'silent' | 'failed'

/** A wallet that has not answered after this long may never do so. Adding gives a person more to read. */
const timeLimits = { switch: 20 * SECOND, add: 60 * SECOND }

/**
 * Brings the wallet to a chain, adding the chain where the wallet does not know it.
 *
 * The first question goes out before anything is waited for, so that a tap still counts as one; who is there already answers it without
 * a window. Wallets say "unknown chain" in at least five ways, so every refusal but a person's own is answered by adding it; some resolve
 * either call without switching, so the chain is read again after each; and some switch without ever answering, so it is read then, too.
 */
export async function switchToChain(provider: Eip1193Provider, chain: WalletChain, limits = timeLimits): Promise<ChainSwitch> {
  const chainId = `0x${chain.chainId.toString(16)}`
  const isThere = async () => (await withTimeLimit(readChainId(provider), limits.switch)) === chain.chainId
  const ask = (method: string, parameters: object, limit = limits.switch) =>
    withTimeLimit(provider.request({ method, params: [parameters] }), limit)

  try {
    try {
      await ask('wallet_switchEthereumChain', { chainId })
    } catch (error) {
      if (isRejection(error) || isAlreadyPending(error) || error instanceof WalletTimeoutError) throw error
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
    // Added, and the wallet stayed where it was.
    await ask('wallet_switchEthereumChain', { chainId })
    return (await isThere()) ? 'ready' : 'failed'
  } catch (error) {
    // Some switch first and then complain, or say nothing at all.
    if (await isThere().catch(() => false)) return 'ready'
    if (isRejection(error)) return 'rejected'
    if (isAlreadyPending(error)) return 'pending'
    if (error instanceof WalletTimeoutError) return 'silent'
    return 'failed'
  }
}
