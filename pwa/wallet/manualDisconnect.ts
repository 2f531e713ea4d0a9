/** Whether the user has disconnected the wallet by hand: then only they can connect it again. */
const STORAGE_KEY = 'wallet_manually_disconnected'

export function wasDisconnectedManually(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) === 'true'
  } catch {
    return false
  }
}

export function storeManualDisconnect(value: boolean): void {
  try {
    localStorage.setItem(STORAGE_KEY, String(value))
  } catch {
    // Some in-app browsers deny storage: the flag is lost there.
  }
}
