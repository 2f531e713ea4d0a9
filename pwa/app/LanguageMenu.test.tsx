import { act, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { updateNotifications } from '#shared/contract/notifications.ts'
import { InLanguage } from '#pwa/i18n/InLanguage.tsx'
import { startTask } from '#pwa/lib/busy.ts'
import { authUserQuery, inboxQuery } from '#pwa/lib/queries.ts'
import { someUser } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { LanguageMenu } from './LanguageMenu.tsx'

const api = useFakeApi()

const page = <InLanguage render={() => <LanguageMenu />} />

test('each language is listed in its own words, and the focus stays on the one that was chosen', async () => {
  const { person } = renderPage(page)
  await person.click(screen.getByRole('button', { name: 'Language: English' }))
  await person.click(await screen.findByRole('menuitemradio', { name: '한국어' }))
  expect(await screen.findByRole('button', { name: '언어: 한국어' })).toBeVisible()
  expect(screen.getByRole('menuitemradio', { name: '한국어' })).toHaveFocus()
})

test("the chosen language is saved for a user's emails; a visitor sends no request", async () => {
  const requests: object[] = []
  api.answer(updateNotifications, ({ body }, request) => {
    requests.push({ ...body, header: request.headers.get('accept-language') })
    return { rewardDigest: false, language: body.language ?? 'en' }
  })
  const { person, queryClient } = renderPage(page)
  await person.click(screen.getByRole('button', { name: 'Language: English' }))
  await person.click(await screen.findByRole('menuitemradio', { name: '한국어' }))
  expect(await screen.findByRole('button', { name: '언어: 한국어' })).toBeVisible()
  queryClient.setQueryData(authUserQuery.queryKey, someUser())
  await person.click(await screen.findByRole('menuitemradio', { name: 'English' }))
  await expect.poll(() => requests).toEqual([{ language: 'en', header: 'en' }])

  await person.click(await screen.findByRole('menuitemradio', { name: '한국어' }))
  await expect
    .poll(() => requests)
    .toEqual([
      { language: 'en', header: 'en' },
      { language: 'ko', header: 'ko' },
    ])
})

test('the messages of the inbox, which the server writes, are read again in the chosen language', async () => {
  const { person, queryClient } = renderPage(page)
  const keys = [inboxQuery.queryKey, [inboxQuery.queryKey[0], 30]]
  for (const key of keys) queryClient.setQueryData<unknown>(key, {})
  await person.click(screen.getByRole('button', { name: 'Language: English' }))
  await person.click(await screen.findByRole('menuitemradio', { name: '한국어' }))
  await expect.poll(() => keys.map((key) => queryClient.getQueryState(key)?.isInvalidated)).toEqual([true, true])
})

test('the page changes its language even if saving it fails', async () => {
  const noted = vi.spyOn(console, 'info').mockImplementation(() => undefined)
  api.answer(updateNotifications, () => {
    throw refusal(503, 'busy', 'Please come again.')
  })
  const { person, queryClient } = renderPage(page)
  queryClient.setQueryData(authUserQuery.queryKey, someUser())
  await person.click(screen.getByRole('button', { name: 'Language: English' }))
  await person.click(await screen.findByRole('menuitemradio', { name: '한국어' }))
  await expect.poll(() => noted.mock.calls).toEqual([['The language of emails was not saved', expect.anything()]])
  expect(screen.getByRole('button', { name: '언어: 한국어' })).toBeVisible()
})

test('the language cannot be changed during a payment, a code or a signature', async () => {
  const finish = startTask()
  const { person } = renderPage(page)
  await person.click(screen.getByRole('button', { name: 'Language: English' }))
  expect(await screen.findByRole('menuitemradio', { name: '한국어' })).toHaveAttribute('aria-disabled', 'true')
  act(finish)
})
