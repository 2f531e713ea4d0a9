/** Whether the person has taken the wallet off this site: then nothing but their own act connects it again. */
const STORAGE_KEY = 'wallet_manually_disconnected'

export function wasDisconnectedByHand(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) === 'true'
  } catch {
    return false
  }
}

export function noteDisconnectedByHand(value: boolean): void {
  try {
    localStorage.setItem(STORAGE_KEY, String(value))
  } catch {
    // Storage is denied in some in-app browsers: nothing is remembered there.
  }
}
