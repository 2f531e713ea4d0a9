import type { BrowserContext } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createLocalProvider, type WalletRequest } from '#pwa/wallet/createLocalProvider.ts'

export interface TestWallet {
  name: string
  address: `0x${string}`
  /** Requested methods, in order. */
  requests: WalletRequest[]
  /** Hashes of the sent transactions. */
  sent: string[]
  /** Rejects requests of this kind from now on, permanently. */
  refuse: (type: WalletRequest['type'] | null) => void
  /** Overrides the answer to a method: an error, a result without effect, or no answer. Null: the default. */
  answer: (method: string, answer: WalletAnswer | null) => void
  /** Simulates locking the wallet, or revoking access. */
  lock: () => void
  /** Simulates choosing another account; returns its address. */
  chooseAnotherAccount: () => `0x${string}`
  /** Called after a transaction was sent, before the page receives its hash. */
  onSent: (() => Promise<void>) | undefined
}

export type WalletAnswer = 'never' | { error: { code: number; message: string; data?: object } } | { result: unknown }

interface WalletOptions {
  /** Does not announce itself: the page finds it as `window.ethereum`, after this delay or not at all. */
  injectedAfter?: number | 'never'
}

/**
 * Injects a wallet into every page of a browser: the demo's own, controlled by the test. It starts on an unrelated chain and
 * knows no other.
 */
export async function installWallet(context: BrowserContext, { injectedAfter }: WalletOptions = {}): Promise<TestWallet> {
  const account = privateKeyToAccount(generatePrivateKey())
  let refused: WalletRequest['type'] | null = null
  const answers = new Map<string, WalletAnswer>()
  const wallet: TestWallet = {
    name: 'Test Wallet',
    address: account.address.toLowerCase() as `0x${string}`,
    requests: [],
    sent: [],
    refuse: (type) => {
      refused = type
    },
    answer: (method, answer) => (answer ? answers.set(method, answer) : answers.delete(method)),
    lock: () => provider.lock(),
    chooseAnotherAccount() {
      const another = privateKeyToAccount(generatePrivateKey())
      provider.setAccount(another)
      return another.address.toLowerCase() as `0x${string}`
    },
    onSent: undefined,
  }
  const provider = createLocalProvider({
    account,
    chains: {},
    chainId: 1,
    approve: (request) => {
      wallet.requests.push(request)
      return request.type !== refused
    },
  })
  for (const event of ['accountsChanged', 'chainChanged']) {
    provider.on(event, (data: unknown) => {
      for (const page of context.pages()) {
        // A page that is being closed receives no events, as with an extension.
        page.evaluate(([name, value]) => window.testWallet?.emit(name, value), [event, data] as const).catch(() => undefined)
      }
    })
  }
  await context.exposeFunction('askTestWallet', async (method: string, params: unknown) => {
    const answer = answers.get(method)
    if (answer === 'never') return new Promise(() => {})
    if (answer) return answer
    try {
      const result = await provider.request({ method, params: params as object })
      if (method === 'eth_sendTransaction') {
        wallet.sent.push(result as string)
        await wallet.onSent?.()
      }
      return { result }
    } catch (error) {
      const { code = -32603, message } = error as { code?: number; message: string }
      return { error: { code, message } }
    }
  })
  // Without an announced wallet, the demo wallet is hidden as well.
  if (injectedAfter !== undefined) await context.addInitScript(silenceAnnouncements)
  if (injectedAfter !== 'never') await context.addInitScript(injectWallet, { name: wallet.name, injectedAfter })
  return wallet
}

declare global {
  interface Window {
    testWallet?: { emit: (event: string, data: unknown) => void }
    askTestWallet?: (
      method: string,
      params: unknown,
    ) => Promise<{ result?: unknown; error?: { code: number; message: string; data?: object } }>
  }
}

/** Runs in the page before its scripts, so its listener is the first. */
function silenceAnnouncements(): void {
  window.addEventListener('eip6963:announceProvider', (event) => event.stopImmediatePropagation())
}

/** Runs in the page before its scripts, and so cannot use anything from this module. */
function injectWallet({ name, injectedAfter }: { name: string; injectedAfter: number | undefined }): void {
  const listeners: Record<string, Set<(data: unknown) => void>> = {}
  const provider = {
    async request({ method, params }: { method: string; params?: unknown }) {
      const { result, error } = await window.askTestWallet!(method, params)
      if (error) throw Object.assign(new Error(error.message), { code: error.code, data: error.data })
      return result
    },
    on(event: string, listener: (data: unknown) => void) {
      ;(listeners[event] ??= new Set()).add(listener)
    },
    removeListener(event: string, listener: (data: unknown) => void) {
      listeners[event]?.delete(listener)
    },
  }
  window.testWallet = { emit: (event, data) => listeners[event]?.forEach((listener) => listener(data)) }
  if (injectedAfter !== undefined) {
    setTimeout(() => Object.assign(window, { ethereum: provider }), injectedAfter)
    return
  }
  // Announces a second wallet, because with a single one the list is skipped.
  const idle = {
    ...provider,
    request: ({ method }: { method: string }) => Promise.resolve(method === 'eth_accounts' ? [] : null),
  }
  const wallets = [
    { name, rdns: 'test.wallet', provider },
    { name: 'Idle Wallet', rdns: 'test.idle', provider: idle },
  ]
  for (const [index, { provider, ...info }] of wallets.entries()) {
    const uuid = `00000000-0000-4000-8000-00000000000${index}`
    const detail = Object.freeze({ info: Object.freeze({ ...info, uuid, icon: 'data:image/svg+xml,' }), provider })
    const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    window.addEventListener('eip6963:requestProvider', announce)
    announce()
  }
}
