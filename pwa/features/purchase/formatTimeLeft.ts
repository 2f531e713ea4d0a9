import { MINUTE, SECOND } from '#shared/dates.ts'

/** 29:07 */
export function formatTimeLeft(milliseconds: number): string {
  const left = Math.max(0, milliseconds)
  const seconds = Math.floor((left % MINUTE) / SECOND)
  return `${Math.floor(left / MINUTE)}:${String(seconds).padStart(2, '0')}`
}
