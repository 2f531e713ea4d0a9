const VESTING_YEARS = 5

/** Five calendar years later, in UTC. 29 February matures on 28 February if that year has no 29th. */
export function maturityOf(start: Date): Date {
  const maturity = new Date(start)
  maturity.setUTCFullYear(start.getUTCFullYear() + VESTING_YEARS)
  if (maturity.getUTCMonth() !== start.getUTCMonth()) maturity.setUTCDate(0)
  return maturity
}
