import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { ApiError } from '#shared/contract/client.ts'
import type { Input } from '#shared/contract/endpoint.ts'
import { deletePushSubscription, savePushSubscription } from '#shared/contract/push.ts'
import { getConfig } from '#shared/contract/settings.ts'
import { answerCommonCalls, someConfig, someUser } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { fakePush, removeFakePush } from '#pwa/testing/fakePush.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { PushCard } from './PushCard.tsx'
import { forgetPush, syncPush } from './subscription.ts'

const api = useFakeApi()
afterEach(removeFakePush)

const pushKey = 'B'.repeat(86) + 'A'
const olderKey = 'C'.repeat(86) + 'A'
const holder = someUser({ totalNodes: 3 })
const account = { userId: holder.id, pushKey }
type Saved = Input<typeof savePushSubscription>['body']

function answerCalls({ hasPush = true } = {}) {
  const saved: Saved[] = []
  answerCommonCalls(api, { user: holder })
  api.answer(getConfig, () => someConfig(hasPush ? { pushKey } : {}))
  api.answer(savePushSubscription, ({ body }) => {
    saved.push(body)
    return { showsDetails: body.showsDetails ?? saved.findLast((one) => one.showsDetails !== undefined)?.showsDetails ?? false }
  })
  api.answer(deletePushSubscription, () => ({ message: 'Off.' }))
  return saved
}
const turnOn = () => screen.findByRole('button', { name: 'Turn on notifications' })

test('a tap asks for the permission, and not before; the switch shows amounts, and the button turns them off', async () => {
  const push = fakePush()
  const saved = answerCalls()
  const { person } = renderPage(<PushCard user={holder} />)
  await screen.findByText(/Learn at once when your nodes are yours/)
  expect([push.asked, saved.length]).toEqual([0, 0])

  await person.click(await turnOn())
  await screen.findByText('Notifications are on')
  const amounts = await screen.findByRole('switch', { name: 'Show amounts in notifications' })
  expect(push.asked).toBe(1)
  expect(push.heldKey).toBe(pushKey)
  expect(saved).toEqual([{ endpoint: 'https://push.example.com/1', p256dh: 'p'.repeat(87), auth: 'a'.repeat(22) }])
  expect(amounts).not.toBeChecked()
  await person.click(amounts)
  await waitFor(() => expect(amounts).toBeChecked())
  expect(saved.at(-1)).toMatchObject({ showsDetails: true })

  await person.click(screen.getByRole('button', { name: 'Turn off on this device' }))
  await turnOn()
  expect(push.heldKey).toBeUndefined()
})

test('a refused permission is explained, and so is a refusal of the server', async () => {
  fakePush({ answer: 'denied' })
  answerCalls()
  const { person } = renderPage(<PushCard user={holder} />)
  await person.click(await turnOn())
  expect(await screen.findByText(/Your browser blocks notifications/)).toBeVisible()
  expect(screen.queryByRole('button')).toBeNull()
})

test('a subscription that the server refuses leaves them off', async () => {
  fakePush()
  answerCalls()
  api.answer(savePushSubscription, () => {
    throw refusal(409, 'too_many_subscriptions', 'Too many of your devices get notifications. Log out of one you no longer use.')
  })
  const { person } = renderPage(<PushCard user={holder} />)
  await person.click(await turnOn())
  expect(await screen.findByText(/Too many of your devices/)).toBeVisible()
  expect(await turnOn()).toBeEnabled()
})

test('a change whose answer was lost is not called unchanged, and is read again', async () => {
  fakePush()
  answerCalls()
  const { person } = renderPage(<PushCard user={holder} />)
  await person.click(await turnOn())
  const amounts = await screen.findByRole('switch', { name: 'Show amounts in notifications' })
  api.answer(savePushSubscription, ({ body: { showsDetails } }) => {
    // Without a code it is a proxy's answer.
    if (showsDetails !== undefined) throw new ApiError(502, '{}')
    return { showsDetails: true }
  })
  await person.click(amounts)
  expect((await screen.findByText('Outcome Unknown')).parentElement).toHaveTextContent('It may have been done.')
  expect(screen.queryByText('Not Changed')).toBeNull()
  await waitFor(() => expect(amounts).toBeChecked())
})

test('nothing is offered before the first purchase, without push messages, or where the browser has none', async () => {
  fakePush()
  answerCalls()
  renderPage(<PushCard user={someUser({ totalNodes: 0 })} />)
  expect(screen.queryByText('Notifications on this device')).toBeNull()
  expect(await syncPush(account)).toEqual({ kind: 'off' })

  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (iPhone) MetaMaskMobile')
  expect(await syncPush(account)).toEqual({ kind: 'unsupported' })
  removeFakePush()
  expect(await syncPush(account)).toEqual({ kind: 'unsupported' })
})

test('in Safari on an iPhone the card says that the app must be installed first', async () => {
  fakePush()
  Reflect.deleteProperty(window, 'PushManager')
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Safari/604.1')
  answerCalls()
  renderPage(<PushCard user={holder} />)
  expect(await screen.findByText(/tap Share in Safari, then Add to Home Screen/)).toBeVisible()
  expect(screen.queryByRole('button')).toBeNull()
})

test('the offer stays away once dismissed', async () => {
  fakePush()
  answerCalls()
  const { person } = renderPage(<PushCard user={holder} isOffer />)
  await person.click(await screen.findByRole('button', { name: 'Not now' }))
  expect(screen.queryByText('Notifications on this device')).toBeNull()
  renderPage(
    <>
      <PushCard user={holder} isOffer />
      <PushCard user={holder} />
    </>,
  )
  await turnOn()
  expect(screen.getAllByText('Notifications on this device')).toHaveLength(1)
})

test('a start that fails leaves the button, whose tap tells why', async () => {
  fakePush({ permission: 'granted' })
  answerCalls()
  localStorage.setItem('push_of', holder.id)
  api.answer(savePushSubscription, () => {
    throw refusal(409, 'too_many_subscriptions', 'Too many of your devices get notifications. Log out of one you no longer use.')
  })
  const { person } = renderPage(<PushCard user={holder} />)
  await person.click(await turnOn())
  expect(await screen.findByText(/Too many of your devices/)).toBeVisible()
})

test('each start confirms the subscription, renews a lost one, and replaces one for an older key', async () => {
  const push = fakePush({ permission: 'granted' })
  const saved = answerCalls()
  localStorage.setItem('push_of', holder.id)
  push.heldKey = pushKey
  expect(await syncPush(account)).toEqual({ kind: 'on', showsDetails: false })
  expect([push.subscribed, saved.length]).toEqual([0, 1])
  push.lose()
  await syncPush(account)
  expect([push.heldKey, push.subscribed, saved.length]).toEqual([pushKey, 1, 2])
  push.heldKey = olderKey
  await syncPush(account)
  expect([push.heldKey, push.subscribed, saved.length]).toEqual([pushKey, 2, 3])
})

test('after a logout nothing is subscribed, and the next account of the browser gets nothing unasked', async () => {
  const push = fakePush({ permission: 'granted' })
  const saved = answerCalls()
  localStorage.setItem('push_of', holder.id)
  push.heldKey = pushKey
  push.shown.push('Your withdrawal was sent', 'New login to your account')
  await forgetPush()
  expect([push.heldKey, push.shown]).toEqual([undefined, []])
  expect(await syncPush(account)).toEqual({ kind: 'off' })

  // Its session expired, so there was no logout.
  localStorage.setItem('push_of', holder.id)
  push.heldKey = pushKey
  expect(await syncPush({ ...account, userId: '01936b2a-7c00-7000-8000-000000000002' })).toEqual({ kind: 'off' })
  expect([push.heldKey, saved]).toEqual([undefined, []])
})
