import type { EntityManager } from '@mikro-orm/postgresql'
import { costOf } from '#shared/sale.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { nodePriceOf, readSettings, type Settings } from '../settings/readSettings.ts'

/** What pays a purchase in full: its amount, and at least the price in force when it was opened. A buyer may have reported an earlier price. */
export function amountDue(
  { amount, requestedQuantity }: Pick<Purchase, 'amount' | 'requestedQuantity'>,
  settingsAtOpening: Settings,
): bigint {
  const cost = costOf(nodePriceOf(settingsAtOpening), requestedQuantity)
  return cost > amount ? cost : amount
}

export const readAmountDue = async (em: EntityManager, purchase: Purchase): Promise<bigint> =>
  amountDue(purchase, await readSettings(em, purchase.openedAt))
