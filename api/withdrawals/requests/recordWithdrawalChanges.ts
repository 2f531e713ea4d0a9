import type { EntityManager } from '@mikro-orm/postgresql'
import { getAuthUser } from '#shared/contract/identity.ts'
import { getDailyLimit, listWithdrawals } from '#shared/contract/withdrawals.ts'
import { recordChanges } from '#api/platform/events/recordChange.ts'

/** Notifies the open pages of these users that their withdrawals, and perhaps their balance, changed. */
export const recordWithdrawalChanges = (em: EntityManager, userIds: readonly string[]): Promise<void> =>
  recordChanges(em, { userIds, keys: [getAuthUser.path, listWithdrawals.path, getDailyLimit.path] })
