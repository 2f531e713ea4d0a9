import { beforeEach, expect, test, vi } from 'vitest'
import { SECOND } from '#shared/dates.ts'
import { hearPlace, leaveLine, restorePlace, roundPlace, usePlaceInLine } from './placeInLine.ts'

const before = () => usePlaceInLine.getState().before

beforeEach(() => {
  vi.useFakeTimers()
  return () => {
    leaveLine()
    vi.useRealTimers()
  }
})

test('the shown place never grows, until the request is answered', () => {
  hearPlace(300)
  hearPlace(120)
  hearPlace(180)
  expect(before()).toBe(120)

  hearPlace(null)
  expect(before()).toBeNull()
  hearPlace(180)
  expect(before()).toBe(180)
})

test('without news for five seconds it disappears', () => {
  hearPlace(300)
  vi.advanceTimersByTime(4 * SECOND)
  hearPlace(200)
  vi.advanceTimersByTime(4 * SECOND)
  expect(before()).toBe(200)
  vi.advanceTimersByTime(SECOND)
  expect(before()).toBeNull()
})

test('a reloaded page shows it at once, and a larger one from the server does not replace it', () => {
  hearPlace(300)
  const stored = sessionStorage.getItem('place_in_line')!
  leaveLine()
  sessionStorage.setItem('place_in_line', stored)

  restorePlace()
  hearPlace(310)
  expect(before()).toBe(300)
})

test('an old place is not restored', () => {
  hearPlace(300)
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
