import { onceProviderInjected } from './findInjected.ts'

/**
 * Detects a wallet, announced (EIP-6963) or injected, without loading a wallet library. Calls back once at the first sign of one,
 * and never without.
 */
export function onceWalletDetected(callback: () => void): () => void {
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
  if (!isOver) stopLooking = onceProviderInjected(found)
  return stop
}
