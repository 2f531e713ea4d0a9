import type { PublicConfig } from '#shared/contract/settings.ts'
import { SECOND } from '#shared/dates.ts'
import { loadWalletAccess } from '#pwa/wallet/loadWalletAccess.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { Chains } from './Chains.ts'
import { Unavailable } from './Report.ts'
import { Rpc, type Send } from './Rpc.ts'

const TIMEOUT = 30 * SECOND

/**
 * The chains as this device can read them: through the connected wallet, which the person has chosen, and the reward chain else through
 * the node that the site names (format.md §12). A demo has both chains on the person's own machine. Elsewhere the page may not connect to
 * other nodes (Content-Security-Policy), because a script that could connect anywhere could also send away what it reads; `verify.mjs` can.
 */
export async function connectChains(config: PublicConfig): Promise<Chains> {
  const chains = new Chains()
  const { paymentChain, rewardChain } = config
  if (config.demo) {
    for (const { chainId, rpcUrls } of [paymentChain, rewardChain]) chains.add(chainId, new Rpc(sendTo(rpcUrls[0]!)))
    return chains
  }
  if (useWallet.getState().address) await addWallet(chains, config)
  chains.add(rewardChain.chainId, new Rpc(sendTo(rewardChain.rpcUrls[0]!)), { isSellers: true })
  return chains
}

async function addWallet(chains: Chains, config: PublicConfig): Promise<void> {
  try {
    const provider = await (await loadWalletAccess(config)).provider()
    if (!provider) return
    const rpc = new Rpc((method, params) => provider.request({ method, params }))
    chains.add(await rpc.chainId(), rpc)
  } catch (error) {
    // A wallet that does not answer: its chains stay unknown.
    console.info('The wallet was not asked for the chains', error)
  }
}

const sendTo =
  (url: string): Send =>
  async (method, params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT),
    }).catch(() => {
      throw new Unavailable(`${url} cannot be reached`)
    })
    const answer = (await response.json()) as { result?: unknown; error?: { message?: string } }
    if (answer.error) throw new Error(answer.error.message ?? 'an error')
    return answer.result
  }
