import { DAY } from '#shared/dates.ts'
import { readStored, store } from '#pwa/lib/deviceStorage.ts'

const STORAGE_KEY = 'server_notice_shown'
/** How long a closed notice stays hidden. */
const REPEAT_INTERVAL = DAY

/** Fallback if storage is denied: lasts until the page is closed. */
let inMemory: number | null = null

export function storeShown(at: Date): void {
  inMemory = at.getTime()
  store(STORAGE_KEY, String(inMemory))
}

export function clearShown(): void {
  inMemory = null
  store(STORAGE_KEY, null)
}

export function wasShownRecently(now: Date): boolean {
  const shownAt = read()
  if (shownAt === null) return false
  // A time in the future comes from a wrong clock and must not hide the notice for longer than the interval.
  return Math.abs(now.getTime() - shownAt) < REPEAT_INTERVAL
}

function read(): number | null {
  const stored = Number(readStored(STORAGE_KEY) ?? Number.NaN)
  return Number.isNaN(stored) ? inMemory : stored
}
