/** A UTC time as form fields: the day as YYYY-MM-DD (empty: not chosen), hour and minute in two digits each. */
export interface UtcTime {
  date: string
  hour: string
  minute: string
}

const twoDigits = (count: number, step: number): readonly string[] =>
  Array.from({ length: count }, (_, place) => String(place * step).padStart(2, '0'))

export const HOURS = twoDigits(24, 1)
export const MINUTES = twoDigits(4, 15)

/** 09:00 of a day that is not chosen yet. */
export const unchosenTime: UtcTime = { date: '', hour: '09', minute: '00' }

export function writeUtcTime(instant: Date): UtcTime {
  const text = instant.toISOString()
  return { date: text.slice(0, 10), hour: text.slice(11, 13), minute: text.slice(14, 16) }
}

/** Undefined without a day. */
export function readUtcTime({ date, hour, minute }: UtcTime): Date | undefined {
  const instant = new Date(`${date}T${hour}:${minute}:00Z`)
  return Number.isNaN(instant.getTime()) ? undefined : instant
}

export const isSameTime = (one: UtcTime, other: UtcTime): boolean =>
  one.date === other.date && one.hour === other.hour && one.minute === other.minute
