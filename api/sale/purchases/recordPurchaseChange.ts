import type { EntityManager } from '@mikro-orm/postgresql'
import { getAuthUser } from '#shared/contract/identity.ts'
import { getNodeStats, getUserNodes } from '#shared/contract/nodes.ts'
import { getReservation, listPayments, listPurchases } from '#shared/contract/purchases.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'

/** Tells the buyer's pages of a change of one of their requests, and everybody's of the supply. */
export async function recordPurchaseChange(em: EntityManager, userId: string): Promise<void> {
  await recordChange(em, {
    userId,
    keys: [listPurchases.path, listPayments.path, getReservation.path, getAuthUser.path, getUserNodes.path],
  })
  await recordChange(em, { keys: [getNodeStats.path] })
}
