import { beforeEach, expect, test, vi } from 'vitest'
import { createProgress } from './createProgress.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  return () => vi.useRealTimers()
})

test('a terminal has one line, which is overwritten and removed at the end', () => {
  const written: string[] = []
  const progress = createProgress({ isTTY: true, write: (text) => void written.push(text) })
  progress.show('Reading', 1, 3)
  vi.advanceTimersByTime(2_000)
  progress.show('Writing')
  progress.end()
  progress.end()

  expect(written).toEqual(['\r\u001B[2KReading: 1 of 3 (0 s)', '\r\u001B[2KWriting (2 s)', '\r\u001B[2K'])
})

test('a file has a line every five seconds, and none of a command that is done sooner', () => {
  const written: string[] = []
  const progress = createProgress({ write: (text) => void written.push(text) })
  for (let second = 0; second <= 11; second += 1) {
    progress.show('Reading', second, 11)
    vi.advanceTimersByTime(1_000)
  }
  progress.end()

  expect(written).toEqual(['Reading: 5 of 11 (5 s)\n', 'Reading: 10 of 11 (10 s)\n'])
})
