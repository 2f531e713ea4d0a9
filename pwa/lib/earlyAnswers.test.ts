import { afterEach, expect, test, vi } from 'vitest'
import { takeEarlyAnswer } from './earlyAnswers.ts'

afterEach(() => {
  delete window.earlyAnswers
})

test('an early response is returned once', async () => {
  vi.spyOn(performance, 'now').mockReturnValue(2_000)
  window.earlyAnswers = { '/api/user/nodes': Promise.resolve(new Response('{}')) }
  expect(takeEarlyAnswer('/api/auth/user')).toBeUndefined()
  expect(await (await takeEarlyAnswer('/api/user/nodes')!).text()).toBe('{}')
  expect(takeEarlyAnswer('/api/user/nodes')).toBeUndefined()
})

test('an early response is not used later, when it would be old', () => {
  vi.spyOn(performance, 'now').mockReturnValue(10_000)
  window.earlyAnswers = { '/api/user/nodes': Promise.resolve(new Response('{}')) }
  expect(takeEarlyAnswer('/api/user/nodes')).toBeUndefined()
})
