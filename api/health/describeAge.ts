import { DAY, HOUR, MINUTE, SECOND } from '#shared/dates.ts'

const units = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', SECOND],
] as const

/** "3 minutes": in the largest unit of which there are two or more. */
export function describeAge(milliseconds: number): string {
  const [name, size] = units.find(([, size]) => milliseconds >= 2 * size) ?? units.at(-1)!
  const count = Math.max(0, Math.floor(milliseconds / size))
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
