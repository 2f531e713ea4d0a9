/**
 * Parses a typed quantity: anything that is not a number, or below one, is one. Too large a quantity stays; the press on Purchase
 * reports it.
 */
export function readQuantity(typed: string): number {
  const number = Math.floor(Number(typed.trim() || Number.NaN))
  return Number.isFinite(number) && number >= 1 ? Math.min(number, Number.MAX_SAFE_INTEGER) : 1
}
