import type { Eip1193Provider } from './Eip1193Provider.ts'

export interface AnnouncedWallet {
  name: string
  /** A reverse domain name that identifies the wallet. */
  rdns: string
  /** A data URL. */
  icon: string
}

/** Announces a provider as EIP-6963 requires: now and on every request. */
export function announceProvider(provider: Eip1193Provider, wallet: AnnouncedWallet): void {
  const detail = Object.freeze({ info: Object.freeze({ ...wallet, uuid: crypto.randomUUID() }), provider })
  const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  window.addEventListener('eip6963:requestProvider', announce)
  announce()
}
