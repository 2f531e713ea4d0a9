import { isPhone } from './walletLinks.ts'

const walletNames =
  /MetaMask|Trust(Wallet)?\/|TrustWallet|imToken|TokenPocket|CoinbaseWallet|CoinbaseBrowser|OKApp|OKEx|BitKeep|Bitget|SafePal|Phantom|Rabby|Binance|BNC\//i

/** Whether the page runs in a phone wallet's browser: by its user agent, or by an injected provider on a phone. */
export const isWalletBrowser = (): boolean => walletNames.test(navigator.userAgent) || (isPhone() && 'ethereum' in window)
