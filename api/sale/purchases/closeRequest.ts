import type { closedReasons, Purchase } from '#api/entities/Purchase.ts'
import type { Supply } from '#api/entities/Supply.ts'
import { releaseSupply } from './holdSupply.ts'

/** Closes a request without allocating nodes. The caller has locked the purchase and the supply. */
export function closeRequest(
  purchase: Purchase,
  supply: Supply,
  { reason, now }: { reason: (typeof closedReasons)[number]; now: Date },
): void {
  releaseSupply(supply, purchase)
  purchase.status = 'cancelled'
  purchase.closedAt = now
  purchase.closedReason = reason
}
