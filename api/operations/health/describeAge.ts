import { DAY, HOUR, MINUTE, SECOND } from '#shared/dates.ts'

/** Each written out, because the page translates it by its pattern. */
const units = [
  { size: DAY, say: (count: number) => `${count} days` },
  { size: HOUR, say: (count: number) => `${count} hours` },
  { size: MINUTE, say: (count: number) => `${count} minutes` },
  { size: SECOND, say: (count: number) => (count === 1 ? '1 second' : `${count} seconds`) },
]

/** "3 minutes": in the largest unit of which there are two or more. */
export function describeAge(milliseconds: number): string {
  const { size, say } = units.find(({ size }) => milliseconds >= 2 * size) ?? units.at(-1)!
  return say(Math.max(0, Math.floor(milliseconds / size)))
}
