import { expect, test, vi } from 'vitest'
import { findRegisterDays, listReceipts, readRegisterDay } from '#shared/contract/register.ts'
import { followOtherSessions } from '#pwa/lib/offlineSnapshot.ts'
import { someConfig } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { checkByItself } from './checkByItself.ts'
import { dismissAlarm, readOwn } from './deviceMemory.ts'
import { useRegisterNews } from './news.ts'
import { verifyOnDevice } from './verifyOnDevice.ts'
import { AccountChanged, watchAccount } from './watchAccount.ts'

const api = useFakeApi()
const user = { id: '01936b2a-7c00-7000-8000-000000000001', email: 'mara@example.com' }
const byItself = () => checkByItself(user, '2026-11-24')
const onPage = () =>
  verifyOnDevice({
    config: someConfig(),
    person: { ...user, wallets: [] },
    ensureSameAccount: watchAccount(),
    onProgress: () => undefined,
  })

test.each([byItself, onPage].flatMap((check) => ['days', 'day', 'receipts', 'checkpoint'].map((moment) => ({ check, moment }))))(
  'if another tab changes the account while the $moment is read, nothing of the next one is kept or raises an alarm: $check.name',
  async ({ check, moment }) => {
    dismissAlarm()
    const otherTab = new BroadcastChannel('session')
    const changed = Promise.withResolvers<void>()
    let owner = 'this account'
    const stop = followOtherSessions(() => {
      owner = 'the next account'
      changed.resolve()
    })
    const reach = async (now: string) => {
      if (now !== moment) return
      otherTab.postMessage({ userId: null })
      await changed.promise
    }
    api.answer(findRegisterDays, async () => {
      await reach('days')
      return { days: { first: '2026-11-23', last: '2026-11-24' } }
    })
    api.answer(readRegisterDay, async () => {
      await reach('day')
      return { secret: `${'A'.repeat(43)}=`, numbers: '7', books: null, entries: [], more: false }
    })
    api.answer(listReceipts, async () => {
      await reach('receipts')
      return { receipts: [{ position: 0, note: `of ${owner}` }], more: false }
    })
    const askApi = fetch
    vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
      if (!input.startsWith('/register/')) return askApi(input, init)
      await reach('checkpoint')
      return new Response('Nothing that any account could accept.')
    })

    await expect(check()).rejects.toThrow(AccountChanged)
    expect(useRegisterNews.getState().alarm).toBeNull()
    expect(readOwn(user.id)).toMatchObject({ own: null, checked: null, report: null })
    expect(readOwn(user.id).receipts).not.toContain('of the next account')
    stop()
    otherTab.close()
  },
)
