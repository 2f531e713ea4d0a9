import type { Purchase } from '#shared/contract/purchases.ts'

/** Numbers of the nodes that were allocated, and those among them that cost nothing. */
export function ownNumbers(purchases: readonly Purchase[]): { mine: number[]; bonus: number[] } {
  const confirmed = purchases.filter(({ paymentStatus }) => paymentStatus === 'confirmed')
  return {
    mine: confirmed.flatMap(({ nodeNumbers }) => nodeNumbers),
    bonus: confirmed.filter(({ purchaseAmountUsdt }) => purchaseAmountUsdt === 0n).flatMap(({ nodeNumbers }) => nodeNumbers),
  }
}
