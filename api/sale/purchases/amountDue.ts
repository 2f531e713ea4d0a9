import type { EntityManager } from '@mikro-orm/postgresql'
import { SECOND } from '#shared/dates.ts'
import { costOf } from '#shared/sale.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { readNodePrices } from '../settings/readSettings.ts'

/**
 * How long a former price still counts for new requests. A change is dated by the clock of another machine and committed a moment later:
 * a request may have read, and shown its buyer, the price before a change that is dated earlier than the request.
 */
export const PRICE_TOLERANCE = 10 * SECOND

/** The price that a request must have: its own if that was in force when it was opened or just before, else the one at its opening. */
export async function readPriceDue(
  em: EntityManager,
  { unitPrice, openedAt }: Pick<Purchase, 'unitPrice' | 'openedAt'>,
): Promise<bigint> {
  const prices = await readNodePrices(em, { from: new Date(openedAt.getTime() - PRICE_TOLERANCE), until: openedAt })
  return prices.includes(unitPrice) ? unitPrice : prices[0]!
}

/** What pays a purchase in full: its amount, and at least the price due. A buyer may have reported an earlier price. */
export function amountDue(
  { amount, requestedQuantity }: Pick<Purchase, 'amount' | 'requestedQuantity'>,
  priceDue: bigint,
): bigint {
  const cost = costOf(priceDue, requestedQuantity)
  return cost > amount ? cost : amount
}

export const readAmountDue = async (em: EntityManager, purchase: Purchase): Promise<bigint> =>
  amountDue(purchase, await readPriceDue(em, purchase))
