import type { PublicConfig } from '#shared/contract/settings.ts'
import { SECOND } from '#shared/dates.ts'
import type { Eip1193Provider } from '#pwa/wallet/Eip1193Provider.ts'
import { loadWalletAccess } from '#pwa/wallet/loadWalletAccess.ts'
import { readChainId, readTokenBalance } from '#pwa/wallet/usdtCalls.ts'
import { withTimeout } from '#pwa/wallet/withTimeout.ts'

/**
 * Whether the wallet is ready to pay, found out without prompting the user.
 *
 * - unread: it does not answer, or its chain does not return the balance
 */
export type WalletReading =
  | { at: 'missing' }
  | { at: 'locked' | 'otherAccount' | 'otherNetwork' | 'unread'; provider: Eip1193Provider }
  | { at: 'short'; provider: Eip1193Provider; balance: bigint }
  | { at: 'ready'; provider: Eip1193Provider; balance: bigint; readAt: number }

interface Wanted {
  owner: `0x${string}`
  amount: bigint
  config: PublicConfig
}

/** Timeout of these calls, which need no user interaction. */
const WALLET_TIMEOUT = 5 * SECOND

/** Reads account, network and balance. None of these calls opens a prompt. */
export async function readPaymentWallet({ owner, amount, config }: Wanted, limit = WALLET_TIMEOUT): Promise<WalletReading> {
  const provider = await loadWalletAccess(config)
    .then((access) => access.provider())
    .catch(() => undefined)
  if (!provider) return { at: 'missing' }
  try {
    const accounts = readAccounts(await withTimeout(provider.request({ method: 'eth_accounts' }), limit))
    if (accounts.length === 0) return { at: 'locked', provider }
    if (!accounts.includes(owner)) return { at: 'otherAccount', provider }
    const { chainId, usdtAddress: token } = config.paymentChain
    if ((await withTimeout(readChainId(provider), limit)) !== chainId) return { at: 'otherNetwork', provider }
    const balance = await withTimeout(readTokenBalance(provider, { token, owner }), limit)
    return balance < amount ? { at: 'short', provider, balance } : { at: 'ready', provider, balance, readAt: Date.now() }
  } catch (error) {
    console.info('The wallet could not be read', error)
    return { at: 'unread', provider }
  }
}

export const readAccounts = (answer: unknown): string[] =>
  Array.isArray(answer) ? answer.filter((one) => typeof one === 'string').map((one) => one.toLowerCase()) : []
