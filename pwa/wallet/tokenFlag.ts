import { readStored, store } from '#pwa/lib/deviceStorage.ts'

const keyOf = (email: string): string => `xcr_token_added_${email}`

/** Whether this account has added the XCR token to this browser's wallet. Wallets have no API to query it. */
export const wasTokenAdded = (email: string): boolean => readStored(keyOf(email)) === 'true'

export const storeTokenAdded = (email: string): void => store(keyOf(email), 'true')
