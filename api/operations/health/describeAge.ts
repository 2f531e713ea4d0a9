import { DAY, HOUR, MINUTE, SECOND } from '#shared/dates.ts'

/** Each is written out, because the page translates it by its pattern. */
const units = [
  { size: DAY, say: (count: number) => `${count} days` },
  { size: HOUR, say: (count: number) => `${count} hours` },
  { size: MINUTE, say: (count: number) => `${count} minutes` },
  { size: SECOND, say: (count: number) => (count === 1 ? '1 second' : `${count} seconds`) },
]

/** For example "3 minutes": the largest unit with a count of at least two. */
export function describeAge(milliseconds: number): string {
  const { size, say } = units.find(({ size }) => milliseconds >= 2 * size) ?? units.at(-1)!
  return say(Math.max(0, Math.floor(milliseconds / size)))
}
