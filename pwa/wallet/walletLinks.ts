import { type Message, msg } from '#pwa/i18n/t.ts'

/** Links that open a page in a wallet app's browser. They need a tap: scripts may not open them. */
export interface WalletLink {
  name: string
  hrefOf: (page: URL) => string
}

/** BNB Smart Chain's SLIP-44 number. Without it Trust Wallet opens the page without a provider. */
const TRUST_COIN_ID = '20000714'

export const walletLinks: readonly WalletLink[] = [
  {
    name: 'MetaMask',
    // Without scheme and encoding; otherwise the app opens an empty tab.
    hrefOf: ({ host, pathname, search }) => `https://link.metamask.io/dapp/${host}${pathname}${search}`,
  },
  {
    name: 'Trust Wallet',
    hrefOf: ({ href }) => `https://link.trustwallet.com/open_url?coin_id=${TRUST_COIN_ID}&url=${encodeURIComponent(href)}`,
  },
  {
    name: 'OKX Wallet',
    hrefOf: ({ href }) => {
      const inner = `okx://wallet/dapp/url?dappUrl=${encodeURIComponent(href)}`
      return `https://web3.okx.com/download?deeplink=${encodeURIComponent(inner)}`
    },
  },
  {
    name: 'Coinbase Wallet (Base app)',
    hrefOf: ({ href }) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(href)}`,
  },
  {
    name: 'TokenPocket',
    hrefOf: ({ href, host }) =>
      `tpdapp://open?params=${encodeURIComponent(JSON.stringify({ url: href, chain: 'BSC', source: host }))}`,
  },
]

/** Wallets that cannot be opened at a page by a link, or not reliably: where to find their browser. */
export const walletsOpenedByHand: readonly { name: string; way: Message }[] = [
  { name: 'Binance', way: msg('Wallet, then Discover') },
  { name: 'Bitget Wallet', way: msg('Discover') },
  { name: 'SafePal', way: msg('Browser') },
  { name: 'imToken', way: msg('Browser') },
]

/** This page's URL for another browser, without the parts that only work in this one. */
export function pageToOpen({ href } = location): URL {
  const page = new URL(href)
  page.hash = ''
  return page
}

/** iPads identify as Macintosh, and phones in desktop mode as desktops: only touch support tells them apart. */
export const isPhone = ({ userAgent, maxTouchPoints } = navigator): boolean =>
  /Android|iPhone|iPad|iPod/i.test(userAgent) ||
  (/Macintosh/i.test(userAgent) && maxTouchPoints > 1) ||
  matchMedia('(hover: none) and (pointer: coarse)').matches
