const keyOf = (email: string): string => `xcr_token_added_${email}`

/** Whether this account has added the XCR token to this browser's wallet. Wallets have no API to query it. */
export function wasTokenAdded(email: string): boolean {
  try {
    return localStorage.getItem(keyOf(email)) === 'true'
  } catch {
    return false
  }
}

export function storeTokenAdded(email: string): void {
  try {
    localStorage.setItem(keyOf(email), 'true')
  } catch {
    // Without storage the user is asked at each withdrawal.
  }
}
