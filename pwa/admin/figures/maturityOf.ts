const VESTING_YEARS = 5

/** Five calendar years later, in UTC. A 29 February matures on the 28th where its year has no 29th. */
export function maturityOf(start: Date): Date {
  const maturity = new Date(start)
  maturity.setUTCFullYear(start.getUTCFullYear() + VESTING_YEARS)
  if (maturity.getUTCMonth() !== start.getUTCMonth()) maturity.setUTCDate(0)
  return maturity
}
