import { DAY, HOUR, MINUTE, SECOND } from '#shared/dates.ts'

/** Each is written out, because the page translates it by its pattern. */
const units = [
  { size: DAY, format: (count: number) => `${count} days` },
  { size: HOUR, format: (count: number) => `${count} hours` },
  { size: MINUTE, format: (count: number) => `${count} minutes` },
  { size: SECOND, format: (count: number) => (count === 1 ? '1 second' : `${count} seconds`) },
]

/** For example "3 minutes": the largest unit with a count of at least two. */
export function describeAge(milliseconds: number): string {
  const { size, format } = units.find(({ size }) => milliseconds >= 2 * size) ?? units.at(-1)!
  return format(Math.max(0, Math.floor(milliseconds / size)))
}
