/** The quantity a person typed: what is not a number, or below one, is one. What is too much stays: the press on Purchase says so. */
export function readQuantity(typed: string): number {
  const number = Math.floor(Number(typed.trim() || Number.NaN))
  return Number.isFinite(number) && number >= 1 ? Math.min(number, Number.MAX_SAFE_INTEGER) : 1
}
