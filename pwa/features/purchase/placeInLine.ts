import { create } from 'zustand'
import { SECOND } from '#shared/dates.ts'
import { readFromTab, storeInTab } from '#pwa/lib/deviceStorage.ts'

const STORAGE_KEY = 'place_in_line'

/** The server tells the place every second. After this time without one, the page no longer shows it. */
const LIFETIME = 5 * SECOND

interface PlaceInLine {
  /** The number of reservations decided before the user's own; null while none is known to wait. */
  before: number | null
}

/** The place of the user's reservation in the server's line. It is kept over a reload: the request waits at the server, not in the page. */
export const usePlaceInLine = create<PlaceInLine>()(() => ({ before: null }))

let timer: ReturnType<typeof setTimeout> | undefined

/** Takes the server's message. The shown place never grows. */
export function showPlace(place: number | null): void {
  const { before } = usePlaceInLine.getState()
  setPlace(place === null || before === null ? place : Math.min(place, before), LIFETIME)
}

/** The request was answered. */
export const leaveLine = (): void => setPlace(null, 0)

/** Restores the place after a page load, until the server tells the current one. Called after hydration. */
export function restorePlace(): void {
  if (usePlaceInLine.getState().before !== null) return
  const [before = Number.NaN, until = 0] = (readFromTab(STORAGE_KEY) ?? '').split(' ').map(Number)
  const left = until - Date.now()
  if (Number.isInteger(before) && left > 0 && left <= LIFETIME) setPlace(before, left)
}

function setPlace(before: number | null, lifetime: number): void {
  clearTimeout(timer)
  usePlaceInLine.setState({ before })
  if (before !== null) timer = setTimeout(leaveLine, lifetime)
  storeInTab(STORAGE_KEY, before === null ? null : `${before} ${Date.now() + lifetime}`)
}

/** Two digits of a large number, one of a medium one: the line moves faster than anybody reads. */
export function roundPlace(before: number): number {
  const step = before < 20 ? 1 : before < 200 ? 10 : before < 1_000 ? 50 : 100
  return Math.round(before / step) * step
}
