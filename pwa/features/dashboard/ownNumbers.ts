import type { Purchase } from '#shared/contract/purchases.ts'

/** The numbers of the user's allocated nodes, and those of them that were bonus nodes. */
export function ownNumbers(purchases: readonly Purchase[]): { mine: number[]; bonus: number[] } {
  const confirmed = purchases.filter(({ paymentStatus }) => paymentStatus === 'confirmed')
  return {
    mine: confirmed.flatMap(({ nodeNumbers }) => nodeNumbers),
    bonus: confirmed.filter(({ purchaseAmountUsdt }) => purchaseAmountUsdt === 0n).flatMap(({ nodeNumbers }) => nodeNumbers),
  }
}
