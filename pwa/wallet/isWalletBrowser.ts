import { isPhone } from './walletLinks.ts'

const walletNames =
  /MetaMask|Trust(Wallet)?\/|TrustWallet|imToken|TokenPocket|CoinbaseWallet|CoinbaseBrowser|OKApp|OKEx|BitKeep|Bitget|SafePal|Phantom|Rabby|Binance|BNC\//i

/** Whether the page is shown by a wallet's own browser on a phone: by its name, or by a provider where nothing else would put one. */
export const isWalletBrowser = (): boolean => walletNames.test(navigator.userAgent) || (isPhone() && 'ethereum' in window)
