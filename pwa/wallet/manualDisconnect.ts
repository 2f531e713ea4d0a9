import { readStored, store } from '#pwa/lib/deviceStorage.ts'

/** Whether the user has disconnected the wallet by hand: then only they can connect it again. */
const STORAGE_KEY = 'wallet_manually_disconnected'

export const wasDisconnectedManually = (): boolean => readStored(STORAGE_KEY) === 'true'

export const storeManualDisconnect = (value: boolean): void => store(STORAGE_KEY, String(value))
