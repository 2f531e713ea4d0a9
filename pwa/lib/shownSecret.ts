import { readFromTab, storeInTab } from './deviceStorage.ts'

const STORAGE_KEY = 'otp_setup'

/**
 * The authenticator's secret that this tab shows, to be shown it again: phones discard a page whose user is in the authenticator app, which
 * has the secret already. Forgotten once it is enabled.
 */
export function readShownSecret(): { secret?: string } {
  const secret = readFromTab(STORAGE_KEY)
  return secret === null ? {} : { secret }
}

export const keepShownSecret = ({ secret }: { secret: string }): void => storeInTab(STORAGE_KEY, secret)

export const forgetShownSecret = (): void => storeInTab(STORAGE_KEY, null)
