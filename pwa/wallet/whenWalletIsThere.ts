/**
 * Whether this browser has a wallet, without loading a wallet library: by announcement (EIP-6963) or in the page.
 * Calls back once, at the first sign of one, and not at all without.
 */
export function whenWalletIsThere(callback: () => void): () => void {
  let isOver = false
  const found = () => {
    if (isOver) return
    stop()
    callback()
  }
  const stop = () => {
    isOver = true
    window.removeEventListener('eip6963:announceProvider', found)
    window.removeEventListener('ethereum#initialized', found)
  }
  window.addEventListener('eip6963:announceProvider', found)
  // Wallet browsers of phones may put their provider in after the page has started.
  window.addEventListener('ethereum#initialized', found)
  window.dispatchEvent(new Event('eip6963:requestProvider'))
  if ('ethereum' in window) found()
  return stop
}
