import type { DataTag, QueryFunction, UseQueryOptions } from '@tanstack/react-query'
import { readFromTab, storeInTab } from './deviceStorage.ts'

const STORAGE_KEY = 'otp_setup'

/**
 * The authenticator's secret that this tab shows, to be shown it again: phones discard a page whose user is in the authenticator app, which
 * has the secret already. Forgotten once an authenticator is enabled, and at the end of the session, with which it becomes useless.
 */
export function readShownSecret(): { secret?: string } {
  const secret = readFromTab(STORAGE_KEY)
  return secret === null ? {} : { secret }
}

export const keepShownSecret = ({ secret }: { secret: string }): void => storeInTab(STORAGE_KEY, secret)

export const forgetShownSecret = (): void => storeInTab(STORAGE_KEY, null)

type Query<Status> = UseQueryOptions<Status, Error, Status, readonly [string]> & {
  queryKey: DataTag<readonly [string], Status, Error>
}

/** The query of an authenticator's status. Once enabled, the secret must not stay in the tab, also if the page that enabled it was lost. */
export const forgettingSecret = <Status extends { otpEnabled: boolean }>(query: Query<Status>): Query<Status> => ({
  ...query,
  queryFn: async (context) => {
    const status = await (query.queryFn as QueryFunction<Status, readonly [string]>)(context)
    if (status.otpEnabled) forgetShownSecret()
    return status
  },
})
