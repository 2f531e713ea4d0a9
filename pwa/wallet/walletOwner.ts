/**
 * The account for which this browser last saw the address. Kept after a page load and a logout, because the address may be
 * removed meanwhile on another device.
 */
const STORAGE_KEY = 'wallet_owner'

export function walletOwner(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY)
  } catch {
    return null
  }
}

/** Null after the address was removed in this browser or a wallet was connected by hand: the next registration is intended. */
export function storeWalletOwner(userId: string | null): void {
  try {
    if (userId === null) localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, userId)
  } catch {
    // Some in-app browsers deny storage: nothing is remembered there.
  }
}
