import { afterEach, expect, test, vi } from 'vitest'
import { SECOND } from '#shared/dates.ts'
import { createHeartbeat } from './createHeartbeat.ts'

afterEach(() => void vi.useRealTimers())

test('every stream has one beat in each period, and they are spread over it', () => {
  vi.useFakeTimers()
  const heartbeat = createHeartbeat(5 * SECOND)
  const beats = Array.from({ length: 10 }, () => vi.fn())
  for (const beat of beats) heartbeat.add(beat)

  for (let second = 1; second <= 5; second += 1) {
    vi.advanceTimersByTime(SECOND)
    expect(beats.filter((beat) => beat.mock.calls.length > 0)).toHaveLength(2 * second)
  }
  vi.advanceTimersByTime(5 * SECOND)
  for (const beat of beats) expect(beat).toHaveBeenCalledTimes(2)
})

test('an ended stream has no beat, and without streams no timer runs', () => {
  vi.useFakeTimers()
  const heartbeat = createHeartbeat(5 * SECOND)
  const [first, second] = [vi.fn(), vi.fn()]
  const [endFirst, endSecond] = [heartbeat.add(first), heartbeat.add(second)]

  endFirst()
  endFirst()
  vi.advanceTimersByTime(5 * SECOND)
  expect(first).not.toHaveBeenCalled()
  expect(second).toHaveBeenCalledTimes(1)
  endSecond()
  expect(vi.getTimerCount()).toBe(0)
})
