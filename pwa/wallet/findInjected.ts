import { t } from '#pwa/i18n/t.ts'
import type { Eip1193Provider } from './Eip1193Provider.ts'

/** An injected wallet, which need not have announced itself. */
export interface InjectedWallet {
  name: string
  provider: Eip1193Provider
}

type Page = Record<string, unknown>

/** Globals in which wallets inject their provider, beside or instead of `window.ethereum`. */
const knownGlobals: readonly [name: string, find: (page: Page) => unknown][] = [
  ['OKX Wallet', (page) => page.okxwallet],
  ['Bitget Wallet', (page) => inside(page.bitkeep)],
  ['SafePal', (page) => page.safepalProvider],
  ['Binance Wallet', (page) => inside(page.binancew3w)],
  ['TokenPocket', (page) => inside(page.tokenpocket)],
  ['Trust Wallet', (page) => page.trustwallet],
]

/** Without `isMetaMask`: many other wallets set it. */
const flags: readonly [flag: string, name: string][] = [
  ['isTrust', 'Trust Wallet'],
  ['isTrustWallet', 'Trust Wallet'],
  ['isOkxWallet', 'OKX Wallet'],
  ['isOKExWallet', 'OKX Wallet'],
  ['isTokenPocket', 'TokenPocket'],
  ['isBitKeep', 'Bitget Wallet'],
  ['isSafePal', 'SafePal'],
  ['isBinance', 'Binance Wallet'],
  ['isCoinbaseWallet', 'Coinbase Wallet'],
  ['isImToken', 'imToken'],
]

/** An injected provider that did not announce itself, named by its own flags. */
export function findInjected(page: object = window): InjectedWallet | undefined {
  const places = page as Page
  const main = places.ethereum
  if (isProvider(main)) return { name: nameOf(main, places), provider: main }
  for (const [name, find] of knownGlobals) {
    const provider = find(places)
    if (isProvider(provider)) return { name, provider }
  }
  return undefined
}

function nameOf(provider: Eip1193Provider, page: Page): string {
  const own = knownGlobals.find(([, find]) => find(page) === provider)
  if (own) return own[0]
  const match = flags.find(([flag]) => (provider as unknown as Page)[flag])
  return match ? match[1] : t('Browser wallet')
}

const inside = (place: unknown): unknown => (place as { ethereum?: unknown } | undefined)?.ethereum

const isProvider = (value: unknown): value is Eip1193Provider =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Eip1193Provider>).request === 'function'

/** How long phone wallets may take to inject their provider, and the polling interval. */
const INJECTION_TIMEOUT = 3_000
const POLL_INTERVAL = 150

/** Calls back once, when a provider is present: immediately, or as soon as it is injected. */
export function onceProviderInjected(callback: () => void): () => void {
  const page = window
  const check = () => {
    if (!findInjected(page)) return
    stop()
    callback()
  }
  // Some wallets fire no event.
  const timer = setInterval(check, POLL_INTERVAL)
  const timeout = setTimeout(() => clearInterval(timer), INJECTION_TIMEOUT)
  page.addEventListener('ethereum#initialized', check)
  const stop = () => {
    clearInterval(timer)
    clearTimeout(timeout)
    page.removeEventListener('ethereum#initialized', check)
  }
  check()
  return stop
}
