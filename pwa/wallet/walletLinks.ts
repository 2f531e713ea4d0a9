import { type Message, msg } from '#pwa/i18n/t.ts'

/** How a page is opened in a wallet app's own browser. Followed by a tap on a link: scripts may not. */
export interface WalletLink {
  name: string
  hrefOf: (page: URL) => string
}

/** BNB Smart Chain in the numbering of SLIP-44. Without it Trust opens the page without a provider. */
const TRUST_COIN_ID = '20000714'

export const walletLinks: readonly WalletLink[] = [
  {
    name: 'MetaMask',
    // Neither the scheme nor any encoding: with them the app opens a blank tab.
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

/** Wallets that nothing outside of them can open at a page, or not reliably: where their own browser is found. */
export const walletsOpenedByHand: readonly { name: string; way: Message }[] = [
  { name: 'Binance', way: msg('Wallet, then Discover') },
  { name: 'Bitget Wallet', way: msg('Discover') },
  { name: 'SafePal', way: msg('Browser') },
  { name: 'imToken', way: msg('Browser') },
]

/** This page as another browser opens it: without what only means something in this one. */
export function pageToOpen({ href } = location): URL {
  const page = new URL(href)
  page.hash = ''
  return page
}

/** iPads call themselves Macintosh, and whoever asks for desktop sites something else: there only the touch tells. */
export const isPhone = ({ userAgent, maxTouchPoints } = navigator): boolean =>
  /Android|iPhone|iPad|iPod/i.test(userAgent) ||
  (/Macintosh/i.test(userAgent) && maxTouchPoints > 1) ||
  matchMedia('(hover: none) and (pointer: coarse)').matches
