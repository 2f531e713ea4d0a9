/** The wallet that was connected last, by the id of its connector: it is restored on the next visit. */
const STORAGE_KEY = 'wallet_last_used'

/** The id of WalletConnect, whose wallets are in other apps or on other devices. */
export const WALLET_CONNECT = 'walletConnect'

export function lastWallet(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY)
  } catch {
    return null
  }
}

export function storeLastWallet(id: string | null): void {
  try {
    if (id === null) localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, id)
  } catch {
    // Some in-app browsers deny storage: then any connected wallet is restored.
  }
}
