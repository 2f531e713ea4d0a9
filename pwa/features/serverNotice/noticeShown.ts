import { DAY } from '#shared/dates.ts'

const STORAGE_KEY = 'server_notice_shown'
/** How long a notice that was closed stays away. */
const REPEAT_INTERVAL = DAY

/** Where storage is denied, the time holds until the page is closed. */
let inMemory: number | null = null

export function noteShown(at: Date): void {
  inMemory = at.getTime()
  try {
    localStorage.setItem(STORAGE_KEY, String(inMemory))
  } catch {
    // Denied in some in-app browsers.
  }
}

export function forgetShown(): void {
  inMemory = null
  try {
    localStorage.removeItem(STORAGE_KEY)
  } catch {
    // As above.
  }
}

export function wasShownLately(now: Date): boolean {
  const shownAt = read()
  if (shownAt === null) return false
  // A time to come is one of a clock that was wrong: it must not keep the notice away for longer than the interval.
  return Math.abs(now.getTime() - shownAt) < REPEAT_INTERVAL
}

function read(): number | null {
  try {
    const stored = Number(localStorage.getItem(STORAGE_KEY) ?? Number.NaN)
    return Number.isNaN(stored) ? inMemory : stored
  } catch {
    return inMemory
  }
}
