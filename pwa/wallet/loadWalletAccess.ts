import type { PublicConfig } from '#shared/contract/settings.ts'
import type { WalletAccess } from './createWalletAccess.ts'

let access: Promise<WalletAccess> | undefined

/** The wallet libraries, fetched the first time they are needed and made once. A failed fetch is tried again the next time. */
export function loadWalletAccess(config: PublicConfig): Promise<WalletAccess> {
  access ??= import('./createWalletAccess.ts')
    .then(({ createWalletAccess }) => createWalletAccess(config))
    .catch((error: unknown) => {
      access = undefined
      throw error
    })
  return access
}
