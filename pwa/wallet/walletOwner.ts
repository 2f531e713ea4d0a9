import { readStored, store } from '#pwa/lib/deviceStorage.ts'

/**
 * The account for which this browser last saw the address. Kept after a page load and a logout, because the address may be
 * removed meanwhile on another device.
 */
const STORAGE_KEY = 'wallet_owner'

export const walletOwner = (): string | null => readStored(STORAGE_KEY)

/** Null after the address was removed in this browser or a wallet was connected by hand: the next registration is intended. */
export const storeWalletOwner = (userId: string | null): void => store(STORAGE_KEY, userId)
