import type { EntityManager } from '@mikro-orm/postgresql'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { getDailyLimit, listWithdrawals } from '#shared/contract/withdrawals.ts'
import { recordChanges } from '#api/platform/events/recordChange.ts'

/** Notifies the open pages of these users, and those of administrators, that withdrawals, and perhaps balances, changed. */
export const recordWithdrawalChanges = (em: EntityManager, userIds: readonly string[]): Promise<void> =>
  recordChanges(em, { userIds, keys: [getAuthUser.path, listWithdrawals.path, getDailyLimit.path, getWaiting.path] })
