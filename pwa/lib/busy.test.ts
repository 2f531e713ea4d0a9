import { expect, test } from 'vitest'
import { isAnyTabBusy, isBusy, startTask } from './busy.ts'

test('the page is busy until all tasks have ended', async () => {
  const endPayment = startTask()
  const endCode = startTask()
  endCode()
  expect(isBusy()).toBe(true)
  await expect(isAnyTabBusy()).resolves.toBe(true)
  endPayment()
  expect(isBusy()).toBe(false)
  await expect(isAnyTabBusy()).resolves.toBe(false)
})

test('ending a task twice counts once', () => {
  const endFirst = startTask()
  const endSecond = startTask()
  endFirst()
  endFirst()
  expect(isBusy()).toBe(true)
  endSecond()
})
