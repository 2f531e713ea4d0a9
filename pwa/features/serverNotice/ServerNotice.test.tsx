import { act, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listSystemSettings } from '#shared/contract/settings.ts'
import { DAY, HOUR, MINUTE } from '#shared/dates.ts'
import { startTask } from '#pwa/lib/busy.ts'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { clearShown } from './noticeShown.ts'
import { ServerNoticeHost } from './ServerNoticeHost.tsx'

const api = useFakeApi()
const flag = 'server_notice_shown'
const notice = () => screen.findByRole('dialog', { name: 'Server Notice' })

beforeEach(() => {
  vi.spyOn(globalThis, 'setTimeout')
})
afterEach(clearShown)

/** Renders the page for a visitor who saw the notice that long ago, or never. */
async function open({ isOn = true, shownAgo, at = '/' }: { isOn?: boolean; shownAgo?: number; at?: string } = {}) {
  if (shownAgo !== undefined) localStorage.setItem(flag, String(Date.now() - shownAgo))
  const change = (value: boolean) => answerCommonCalls(api, { settings: { server_notice_enabled: String(value) } })
  change(isOn)
  const page = renderPage(<ServerNoticeHost />, { at })
  await waitFor(() => expect(page.queryClient.getQueryData([listSystemSettings.path])).toBeDefined())
  return {
    ...page,
    /** Changes the setting with an event of the stream. */
    change: async (value: boolean) => {
      change(value)
      await act(() => page.queryClient.invalidateQueries({ queryKey: [listSystemSettings.path] }))
    },
  }
}

const isScheduled = () => vi.mocked(setTimeout).mock.calls.some(([, delay]) => delay === 100)

test('the notice opens after 100 ms, explains delays, and closing stores the time', async () => {
  const { person } = await open()
  const dialog = within(await notice())
  expect(isScheduled()).toBe(true)

  expect(dialog.getByText('Due to high traffic, a purchase may fail right now.')).toBeVisible()
  expect(
    dialog.getByText(/^If USDT was sent but nodes were not allocated, please send the transaction ID to support/),
  ).toBeVisible()
  expect(await dialog.findByRole('link', { name: 'support@example.com' })).toHaveAttribute('href', 'mailto:support@example.com')
  expect(dialog.getByText('The refund is verified and processed within 5 business days.')).toBeVisible()
  expect(dialog.getByText('If a purchase does not go through, please try again later.')).toBeVisible()
  expect(localStorage.getItem(flag)).toBeNull()

  const before = Date.now()
  await person.click(dialog.getByText('Close'))
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(Number(localStorage.getItem(flag))).toBeGreaterThanOrEqual(before)
  expect(Number(localStorage.getItem(flag))).toBeLessThanOrEqual(Date.now())
})

test('a notice that was shown 24 hours ago opens again', async () => {
  await open({ shownAgo: DAY })
  expect(await notice()).toBeVisible()
})

test.each([
  { why: 'it was shown within the last 24 hours', shownAgo: DAY - MINUTE },
  { why: 'a clock that was wrong says it will be shown in an hour', shownAgo: -HOUR },
  { why: 'it is off', isOn: false },
  { why: 'the page is another one', at: '/purchase' },
])('nothing comes while $why', async ({ why: _why, ...serverState }) => {
  await open(serverState)
  expect(isScheduled()).toBe(false)
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
})

test('a disabled notice clears the stored time, so it opens at once when enabled again', async () => {
  const { change } = await open({ shownAgo: HOUR })
  expect(isScheduled()).toBe(false)

  await change(false)
  await waitFor(() => expect(localStorage.getItem(flag)).toBeNull())
  await change(true)
  expect(await notice()).toBeVisible()
})

test('an open notice closes when it is disabled', async () => {
  const { change } = await open()
  await notice()

  await change(false)
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(localStorage.getItem(flag)).toBeNull()
})

test('it waits for running tasks', async () => {
  const end = startTask()
  await open()
  expect(isScheduled()).toBe(false)

  act(end)
  expect(await notice()).toBeVisible()
})
