import { beforeEach, expect, test } from 'vitest'
import { findRegisterDays } from '#shared/contract/register.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { checkByItself } from './checkByItself.ts'
import { dismissAlarm, readOwn, storeOwn } from './deviceMemory.ts'
import { useRegisterNews } from './news.ts'

const api = useFakeApi()
const user = { id: '01936b2a-7c00-7000-8000-000000000001', email: 'mara@example.com' }
const checked = { day: '2026-11-23', nodes: 12, reward: '120' }

beforeEach(dismissAlarm)

test.each([null, { first: '2026-11-20', last: '2026-11-22' }])(
  'a site that denies a day that this device has checked raises the alarm: %j',
  async (days) => {
    storeOwn(user.id, { checked })
    api.answer(findRegisterDays, () => ({ days }))
    await checkByItself(user, '2026-11-24')
    expect(useRegisterNews.getState().alarm?.failures).toEqual([
      { tick: 'growth', detail: expect.stringContaining('this device checked 2026-11-23'), evidence: JSON.stringify(checked) },
    ])
  },
)

test('a register without a day is no failure on a device that has seen none', async () => {
  api.answer(findRegisterDays, () => ({ days: null }))
  await checkByItself(user, '2026-11-24')
  expect(useRegisterNews.getState().alarm).toBeNull()
  expect(readOwn(user.id).attempt?.due).toBe('2026-11-24')
})
