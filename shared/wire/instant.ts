import { z } from 'zod'

/** An instant: ISO 8601 in UTC on the wire, a Date in code. */
export const instant = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
})
