import { waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { countUnread } from '#shared/contract/inbox.ts'
import { answerCommonCalls, someUser } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { useAppBadge } from './useAppBadge.ts'

const api = useFakeApi()
afterEach(() => Reflect.deleteProperty(navigator, 'setAppBadge'))

function Badge() {
  useAppBadge()
  return null
}

test.each([
  ['the number of unread messages', someUser(), 3],
  ['nothing for a visitor', null, 0],
])("the app's icon shows %s", async (_, user, shown) => {
  const badges: number[] = []
  const setAppBadge = async (count: number) => {
    badges.push(count)
    throw new DOMException('Only the installed app has a badge', 'NotAllowedError')
  }
  Object.defineProperty(navigator, 'setAppBadge', { value: setAppBadge, configurable: true })
  answerCommonCalls(api, { user })
  api.answer(countUnread, () => ({ unread: 3 }))
  renderPage(<Badge />)
  await waitFor(() => expect(badges).toEqual([shown]))
})
