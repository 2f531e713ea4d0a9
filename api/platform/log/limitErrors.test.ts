import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MINUTE } from '#shared/dates.ts'
import { limitErrors } from './limitErrors.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function setUp() {
  const written: string[] = []
  const errors = limitErrors((error) => written.push((error as Error).message))
  const fail = (times: number) => {
    for (let time = 0; time < times; time += 1) errors.report(new Error('failed'))
  }
  return { written, fail, end: errors.end }
}

test('the end of a minute tells how many errors were left out, also if no further one occurs', () => {
  const { written, fail } = setUp()
  fail(300)
  expect(written).toHaveLength(100)
  vi.advanceTimersByTime(MINUTE)
  expect(written.slice(100)).toEqual(['200 more errors of requests are not in the log.'])
  vi.advanceTimersByTime(MINUTE)
  expect(written).toHaveLength(101)
  fail(100)
  vi.advanceTimersByTime(MINUTE)
  expect(written, 'none was left out').toHaveLength(201)
})

test('a process that ends tells how many errors were left out, once', () => {
  const { written, fail, end } = setUp()
  fail(101)
  end()
  end()
  vi.advanceTimersByTime(MINUTE)
  expect(written.slice(100)).toEqual(['1 more errors of requests are not in the log.'])
})
