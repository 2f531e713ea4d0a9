import { whenInjected } from './findInjected.ts'

/**
 * Whether this browser has a wallet, without loading a wallet library: by announcement (EIP-6963) or in the page.
 * Calls back once, at the first sign of one, and not at all without.
 */
export function whenWalletIsThere(callback: () => void): () => void {
  let isOver = false
  let stopLooking: () => void = () => undefined
  const found = () => {
    if (isOver) return
    stop()
    callback()
  }
  const stop = () => {
    isOver = true
    window.removeEventListener('eip6963:announceProvider', found)
    stopLooking()
  }
  window.addEventListener('eip6963:announceProvider', found)
  window.dispatchEvent(new Event('eip6963:requestProvider'))
  if (!isOver) stopLooking = whenInjected(found)
  return stop
}
