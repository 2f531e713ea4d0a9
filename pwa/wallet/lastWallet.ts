import { readStored, store } from '#pwa/lib/deviceStorage.ts'

/** The wallet that was connected last, by the id of its connector: it is restored on the next visit. */
const STORAGE_KEY = 'wallet_last_used'

/** The id of WalletConnect, whose wallets are in other apps or on other devices. */
export const WALLET_CONNECT = 'walletConnect'

/** Null also where storage is denied: then any connected wallet is restored. */
export const lastWallet = (): string | null => readStored(STORAGE_KEY)

export const storeLastWallet = (id: string | null): void => store(STORAGE_KEY, id)
