export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The day in UTC, as YYYY-MM-DD. */
export const utcDay = (at: Date): string => at.toISOString().slice(0, 10)

/** The first day of a month (YYYY-MM) and of the next one, as YYYY-MM-DD. */
export function monthRange(month: string): { begin: string; end: string } {
  const [year, number] = month.split('-').map(Number) as [number, number]
  const next = new Date(Date.UTC(year, number, 1))
  return { begin: `${month}-01`, end: next.toISOString().slice(0, 10) }
}

/** The beginning of a day (YYYY-MM-DD) in UTC. */
export const midnightOf = (day: string): Date => new Date(`${day}T00:00:00Z`)
