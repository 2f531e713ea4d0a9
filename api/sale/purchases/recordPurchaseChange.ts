import type { EntityManager } from '@mikro-orm/postgresql'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { getNodeStats, getUserNodes } from '#shared/contract/nodes.ts'
import { getReservation, listPayments, listPurchases } from '#shared/contract/purchases.ts'
import { recordChange, recordChanges } from '#api/platform/events/recordChange.ts'

/** Invalidates the buyer's queries about purchases, the supply shown on every page, and what waits for administrators. */
export async function recordPurchaseChange(em: EntityManager, userId: string): Promise<void> {
  await recordChange(em, {
    userId,
    keys: [listPurchases.path, listPayments.path, getReservation.path, getAuthUser.path, getUserNodes.path],
  })
  await recordChange(em, { keys: [getNodeStats.path, getWaiting.path] })
}

/** Invalidates the owners' queries about nodes that were frozen, or earn again. */
export const recordFrozenNodes = (em: EntityManager, userIds: readonly string[]): Promise<void> =>
  recordChanges(em, { userIds, keys: [getUserNodes.path, listPayments.path, listPurchases.path] })
