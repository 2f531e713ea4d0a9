import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { create } from 'zustand'
import { fundDemoWallet } from '#shared/contract/demo.ts'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { api } from '#pwa/lib/api.ts'
import { readStored, store } from '#pwa/lib/deviceStorage.ts'
import { announceProvider } from '#pwa/wallet/announceProvider.ts'
import { createLocalProvider, type LocalProviderState, type WalletRequest } from '#pwa/wallet/createLocalProvider.ts'

type Hex = `0x${string}`

interface DemoWalletState {
  address: Hex | null
  /** The open prompt, if any. */
  question: { request: WalletRequest; answer: (isApproved: boolean) => void } | null
}

export const useDemoWallet = create<DemoWalletState>()(() => ({ address: null, question: null }))

/** The chain of a new wallet: an unrelated one, so that the payment chain has to be added. */
const FIRST_CHAIN_ID = 1
const KEY_STORAGE = 'demo_wallet_key'
const STATE_STORAGE = 'demo_wallet_state'

let isStarted = false

/** Injects the demo wallet and announces it like any other. Its key is generated in this browser and stays there. */
export function startDemoWallet(config: PublicConfig): void {
  if (isStarted) return
  isStarted = true
  const account = privateKeyToAccount(loadKey())
  useDemoWallet.setState({ address: account.address.toLowerCase() as Hex })

  const provider = createLocalProvider({
    account,
    ...loadState(config),
    approve: async (request) => {
      const isApproved = await ask(request)
      if (isApproved && request.type === 'connect') void fundFirstTime(account.address, config)
      return isApproved
    },
    onStateChange: (state) => store(STATE_STORAGE, JSON.stringify(state)),
  })
  announceProvider(provider, { name: 'Demo Wallet', rdns: 'demo.wallet', icon: demoIcon })
}

const ask = (request: WalletRequest): Promise<boolean> =>
  new Promise((resolve) => {
    useDemoWallet.setState({
      question: {
        request,
        answer: (isApproved) => {
          useDemoWallet.setState({ question: null })
          resolve(isApproved)
        },
      },
    })
  })

/** A wallet without coins cannot pay gas; one that has some is left alone. */
async function fundFirstTime(address: Hex, config: PublicConfig): Promise<void> {
  try {
    const response = await fetch(config.paymentChain.rpcUrls[0]!, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [address, 'latest'] }),
    })
    const { result } = (await response.json()) as { result: string }
    if (BigInt(result) === 0n) await api(fundDemoWallet, { body: { address } })
  } catch (error) {
    console.info('The demo wallet was not funded', error)
  }
}

function loadKey(): Hex {
  const kept = readStored(KEY_STORAGE)
  if (kept && /^0x[0-9a-f]{64}$/.test(kept)) return kept as Hex
  const key = generatePrivateKey()
  store(KEY_STORAGE, key)
  return key
}

/** The state of the last visit, unless it was on other chains: another installation may have used this address. */
function loadState({ paymentChain }: PublicConfig): LocalProviderState {
  const fresh: LocalProviderState = { chains: {}, chainId: FIRST_CHAIN_ID, isConnected: false }
  try {
    const kept = JSON.parse(readStored(STATE_STORAGE) ?? '') as LocalProviderState
    const url = kept.chains[paymentChain.chainId]
    return url === undefined || url === paymentChain.rpcUrls[0] ? kept : { ...fresh, isConnected: kept.isConnected }
  } catch {
    return fresh
  }
}

const demoIcon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#10141c"/><path d="M8 12h14a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H10a2 2 0 0 1-2-2zm0 0a2 2 0 0 1 2-2h10v2" fill="none" stroke="#9db0ff" stroke-width="2"/><circle cx="20" cy="17.5" r="1.8" fill="#9db0ff"/></svg>',
)}`
