import type { PublicConfig } from '#shared/contract/settings.ts'
import type { Eip1193Provider } from './Eip1193Provider.ts'
import { type ChainSwitch, switchToChain } from './switchToChain.ts'

type PaymentChain = Pick<PublicConfig['paymentChain'], 'chainId' | 'rpcUrls' | 'explorerUrl'>
type TimeLimits = Parameters<typeof switchToChain>[2]

/** Switches the wallet to the payment chain, under the name that wallets use. */
export const switchToPaymentChain = (
  provider: Eip1193Provider,
  { chainId, rpcUrls, explorerUrl }: PaymentChain,
  limits?: TimeLimits,
): Promise<ChainSwitch> =>
  switchToChain(provider, { chainId, rpcUrls, explorerUrl, name: 'BNB Smart Chain', currencySymbol: 'BNB' }, limits)
