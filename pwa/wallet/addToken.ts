import { MINUTE } from '#shared/dates.ts'
import type { Eip1193Provider } from './Eip1193Provider.ts'
import { refusalOf, type WalletRefusal } from './walletErrors.ts'
import { withTimeout } from './withTimeout.ts'

export interface WalletToken {
  address: `0x${string}`
  symbol: string
  decimals: number
}

export type TokenAddition = 'added' | WalletRefusal

/** Some wallets never answer this request. */
const WALLET_TIMEOUT = MINUTE

/** Asks the wallet to list a token (EIP-747). The wallet has to be on the token's chain. */
export async function addToken(provider: Eip1193Provider, token: WalletToken, limit = WALLET_TIMEOUT): Promise<TokenAddition> {
  try {
    const answer = await withTimeout(
      provider.request({ method: 'wallet_watchAsset', params: { type: 'ERC20', options: { ...token } } }),
      limit,
    )
    return answer === false ? 'failed' : 'added'
  } catch (error) {
    return refusalOf(error)
  }
}
