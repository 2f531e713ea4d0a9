import { t } from '#pwa/i18n/t.ts'
import type { Eip1193Provider } from './Eip1193Provider.ts'

/** A wallet that is in the page and need not have announced itself. */
export interface InjectedWallet {
  name: string
  provider: Eip1193Provider
}

type Page = Record<string, unknown>

/** Where wallets put their provider beside, or instead of, `window.ethereum`. */
const ownPlaces: readonly [name: string, find: (page: Page) => unknown][] = [
  ['OKX Wallet', (page) => page.okxwallet],
  ['Bitget Wallet', (page) => inside(page.bitkeep)],
  ['SafePal', (page) => page.safepalProvider],
  ['Binance Wallet', (page) => inside(page.binancew3w)],
  ['TokenPocket', (page) => inside(page.tokenpocket)],
  ['Trust Wallet', (page) => page.trustwallet],
]

/** `isMetaMask` is not among them: many wallets set it. */
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

/** The provider of a wallet that does not announce itself, named from what it says of itself. */
export function findInjected(page: object = window): InjectedWallet | undefined {
  const places = page as Page
  const main = places.ethereum
  if (isProvider(main)) return { name: nameOf(main, places), provider: main }
  for (const [name, find] of ownPlaces) {
    const provider = find(places)
    if (isProvider(provider)) return { name, provider }
  }
  return undefined
}

function nameOf(provider: Eip1193Provider, page: Page): string {
  const own = ownPlaces.find(([, find]) => find(page) === provider)
  if (own) return own[0]
  const said = flags.find(([flag]) => (provider as unknown as Page)[flag])
  return said ? said[1] : t('Browser wallet')
}

const inside = (place: unknown): unknown => (place as { ethereum?: unknown } | undefined)?.ethereum

const isProvider = (value: unknown): value is Eip1193Provider =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Eip1193Provider>).request === 'function'

/** How long wallet browsers of phones may take to put their provider in, and how often it is looked for meanwhile. */
const LATEST = 3_000
const STEP = 150

/** Calls back once, when a provider is in the page: at once, or as soon as it is put in. */
export function whenInjected(callback: () => void): () => void {
  const page = window
  const look = () => {
    if (!findInjected(page)) return
    stop()
    callback()
  }
  // Not every wallet says that it has come.
  const timer = setInterval(look, STEP)
  const end = setTimeout(() => clearInterval(timer), LATEST)
  page.addEventListener('ethereum#initialized', look)
  const stop = () => {
    clearInterval(timer)
    clearTimeout(end)
    page.removeEventListener('ethereum#initialized', look)
  }
  look()
  return stop
}
