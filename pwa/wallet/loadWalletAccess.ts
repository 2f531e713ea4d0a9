import { create } from 'zustand'
import type { PublicConfig } from '#shared/contract/settings.ts'
import type { WalletAccess } from './createWalletAccess.ts'

const useLoading = create<{ access: Promise<WalletAccess> | null }>()(() => ({ access: null }))

/** Loads and initializes the wallet libraries once, on first use. A failed load is retried on the next call. */
export function loadWalletAccess(config: PublicConfig): Promise<WalletAccess> {
  const known = useLoading.getState().access
  if (known) return known
  const access = import('./createWalletAccess.ts')
    .then(({ createWalletAccess }) => createWalletAccess(config))
    .catch((error: unknown) => {
      useLoading.setState({ access: null })
      throw error
    })
  useLoading.setState({ access })
  return access
}
