import { renderHook } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { useCompletion } from './useCompletion.ts'

const at = (second: number) => new Date(1_800_000_000_000 + second * 1_000)

function count(target: Date | null, now: Date) {
  const onComplete = vi.fn<() => void>()
  const { rerender } = renderHook(({ target: moment, now: time }) => useCompletion(moment, time, onComplete), {
    initialProps: { target, now },
  })
  return { onComplete, go: (moment: Date | null, time: Date) => rerender({ target: moment, now: time }) }
}

test('a countdown completes once', () => {
  const { onComplete, go } = count(at(2), at(0))
  go(at(2), at(1))
  expect(onComplete).not.toHaveBeenCalled()
  for (const second of [2, 3, 4]) go(at(2), at(second))
  expect(onComplete).toHaveBeenCalledTimes(1)
})

test('a past or removed date completes nothing', () => {
  const past = count(at(2), at(3))
  past.go(at(2), at(4))
  expect(past.onComplete).not.toHaveBeenCalled()

  const removed = count(at(2), at(0))
  removed.go(null, at(1))
  removed.go(null, at(3))
  expect(removed.onComplete).not.toHaveBeenCalled()
})

test('a changed date starts a new countdown', () => {
  const { onComplete, go } = count(at(2), at(0))
  go(at(2), at(2))
  go(at(5), at(3))
  go(at(5), at(5))
  expect(onComplete).toHaveBeenCalledTimes(2)
})
