import type { Purchase } from '#api/entities/Purchase.ts'
import type { Supply } from '#api/entities/Supply.ts'

/** Holds supply for a request. Returns false if there is too little. The caller has locked both rows. */
export function holdSupply(supply: Supply, purchase: Purchase): boolean {
  if (purchase.heldQuantity > 0) return true
  if (supply.remaining() < purchase.requestedQuantity) return false
  supply.reserved += purchase.requestedQuantity
  purchase.heldQuantity = purchase.requestedQuantity
  return true
}

/** Releases the supply of a request. The caller has locked both rows. */
export function releaseSupply(supply: Supply, purchase: Purchase): void {
  supply.reserved -= purchase.heldQuantity
  purchase.heldQuantity = 0
}
