import type { PublicConfig } from '#shared/contract/settings.ts'
import type { WalletAccess } from './createWalletAccess.ts'

let access: Promise<WalletAccess> | undefined

/** Loads and initializes the wallet libraries once, on first use. A failed load is retried on the next call. */
export function loadWalletAccess(config: PublicConfig): Promise<WalletAccess> {
  access ??= import('./createWalletAccess.ts')
    .then(({ createWalletAccess }) => createWalletAccess(config))
    .catch((error: unknown) => {
      access = undefined
      throw error
    })
  return access
}
