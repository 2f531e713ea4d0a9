import type { BrowserContext } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createLocalProvider, type WalletRequest } from '#pwa/wallet/createLocalProvider.ts'

export interface TestWallet {
  name: string
  address: `0x${string}`
  /** What it was asked, in order. */
  requests: WalletRequest[]
  /** Hashes of what it has sent. */
  sent: string[]
  /** Refuses requests of this kind from now on; nothing takes it back. */
  refuse: (type: WalletRequest['type'] | null) => void
}

/**
 * Puts a wallet into every page of a browser: the demo's own, driven from here. It starts on a chain that the product has nothing
 * to do with, and knows no other.
 */
export async function installWallet(context: BrowserContext): Promise<TestWallet> {
  const account = privateKeyToAccount(generatePrivateKey())
  let refused: WalletRequest['type'] | null = null
  const wallet: TestWallet = {
    name: 'Test Wallet',
    address: account.address.toLowerCase() as `0x${string}`,
    requests: [],
    sent: [],
    refuse: (type) => {
      refused = type
    },
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
        // A page that is just being left hears nothing, as it would from an extension.
        page.evaluate(([name, value]) => window.testWallet?.emit(name, value), [event, data] as const).catch(() => undefined)
      }
    })
  }
  await context.exposeFunction('askTestWallet', async (method: string, params: unknown) => {
    try {
      const result = await provider.request({ method, params: params as object })
      if (method === 'eth_sendTransaction') wallet.sent.push(result as string)
      return { result }
    } catch (error) {
      const { code = -32603, message } = error as { code?: number; message: string }
      return { error: { code, message } }
    }
  })
  await context.addInitScript(injectWallet, wallet.name)
  return wallet
}

declare global {
  interface Window {
    testWallet?: { emit: (event: string, data: unknown) => void }
    askTestWallet?: (method: string, params: unknown) => Promise<{ result?: unknown; error?: { code: number; message: string } }>
  }
}

/** Runs in the page, before everything else in it, and therefore uses nothing from here. */
function injectWallet(name: string): void {
  const listeners: Record<string, Set<(data: unknown) => void>> = {}
  const provider = {
    async request({ method, params }: { method: string; params?: unknown }) {
      const { result, error } = await window.askTestWallet!(method, params)
      if (error) throw Object.assign(new Error(error.message), { code: error.code })
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
  const detail = Object.freeze({
    info: Object.freeze({ uuid: '00000000-0000-4000-8000-000000000001', name, rdns: 'test.wallet', icon: 'data:image/svg+xml,' }),
    provider,
  })
  const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  window.addEventListener('eip6963:requestProvider', announce)
  announce()
}
