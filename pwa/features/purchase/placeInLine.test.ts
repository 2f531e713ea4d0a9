import { beforeEach, expect, test, vi } from 'vitest'
import { SECOND } from '#shared/dates.ts'
import { leaveLine, restorePlace, roundPlace, showPlace, usePlaceInLine } from './placeInLine.ts'

const before = () => usePlaceInLine.getState().before

beforeEach(() => {
  vi.useFakeTimers()
  return () => {
    leaveLine()
    vi.useRealTimers()
  }
})

test('the shown place never grows, until the request is answered', () => {
  showPlace(300)
  showPlace(120)
  showPlace(180)
  expect(before()).toBe(120)

  showPlace(null)
  expect(before()).toBeNull()
  showPlace(180)
  expect(before()).toBe(180)
})

test('without news for five seconds it disappears', () => {
  showPlace(300)
  vi.advanceTimersByTime(4 * SECOND)
  showPlace(200)
  vi.advanceTimersByTime(4 * SECOND)
  expect(before()).toBe(200)
  vi.advanceTimersByTime(SECOND)
  expect(before()).toBeNull()
})

test('a reloaded page shows it at once, and a larger one from the server does not replace it', () => {
  showPlace(300)
  const stored = sessionStorage.getItem('place_in_line')!
  leaveLine()
  sessionStorage.setItem('place_in_line', stored)

  restorePlace()
  showPlace(310)
  expect(before()).toBe(300)
})

test('an old place is not restored', () => {
  showPlace(300)
  const stored = sessionStorage.getItem('place_in_line')!
  leaveLine()
  sessionStorage.setItem('place_in_line', stored)
  vi.advanceTimersByTime(6 * SECOND)

  restorePlace()
  expect(before()).toBeNull()
})

test('a rounded place never grows either', () => {
  expect([0, 7, 23, 187, 301, 1_234].map(roundPlace)).toEqual([0, 7, 20, 190, 300, 1_200])
  const rounded = Array.from({ length: 3_000 }, (_, place) => roundPlace(place))
  expect(rounded).toEqual(rounded.toSorted((a, b) => a - b))
})
