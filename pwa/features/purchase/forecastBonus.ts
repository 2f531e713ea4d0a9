import { NODES_PER_BONUS } from '#shared/sale.ts'

export interface BonusForecast {
  /** Bonus nodes that this purchase adds. */
  earned: number
  /** How many more nodes would add another bonus node. */
  missing: number
}

/** One bonus node for each ten nodes that an account has bought in total. */
export function forecastBonus({ owned, quantity }: { owned: number; quantity: number }): BonusForecast {
  const after = owned + quantity
  return {
    earned: Math.floor(after / NODES_PER_BONUS) - Math.floor(owned / NODES_PER_BONUS),
    missing: NODES_PER_BONUS - (after % NODES_PER_BONUS),
  }
}

/** Number of nodes an account has paid for; bonus nodes do not count toward the next bonus. */
export const countPaid = (
  purchases: readonly { purchaseAmountUsdt: bigint; paymentStatus: string; finalQuantity: number | null }[],
) =>
  purchases
    .filter(({ purchaseAmountUsdt, paymentStatus }) => paymentStatus === 'confirmed' && purchaseAmountUsdt > 0n)
    .reduce((sum, { finalQuantity }) => sum + (finalQuantity ?? 0), 0)
