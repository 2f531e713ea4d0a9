import { z } from 'zod'

/** An instant: ISO 8601 in UTC on the wire, a Date in code. */
export const instant = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
})

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The day in UTC, as YYYY-MM-DD. */
export const utcDay = (at: Date): string => at.toISOString().slice(0, 10)
