/** The account that this browser has last seen with an address. It outlives the page, and the log-out: its address may be removed meanwhile. */
const STORAGE_KEY = 'wallet_owner'

export function walletOwner(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY)
  } catch {
    return null
  }
}

/** Null once the address was removed from this browser, or a wallet was connected by an act: what is registered next is wanted. */
export function noteWalletOwner(userId: string | null): void {
  try {
    if (userId === null) localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, userId)
  } catch {
    // Storage is denied in some in-app browsers: nothing is remembered there.
  }
}
