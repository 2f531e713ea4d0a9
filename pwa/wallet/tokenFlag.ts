const keyOf = (email: string): string => `xcr_token_added_${email}`

/** Whether this browser's wallet was given the XCR token by this account. A wallet cannot be asked. */
export function wasTokenAdded(email: string): boolean {
  try {
    return localStorage.getItem(keyOf(email)) === 'true'
  } catch {
    return false
  }
}

export function noteTokenAdded(email: string): void {
  try {
    localStorage.setItem(keyOf(email), 'true')
  } catch {
    // Without storage it is asked for again, once at each withdrawal.
  }
}
