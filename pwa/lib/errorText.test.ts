import { expect, onTestFinished, test, vi } from 'vitest'
import { disableOtp, otpStatus } from '#shared/contract/otp.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { api } from './api.ts'
import { errorText } from './errorText.ts'

const fakeApi = useFakeApi()
const nothingChanged = 'No connection to the server. Nothing was changed. Please try again.'
const mayBeDone = 'No answer from the server. It may have been done. Please check before you try again.'

function answerWith(answer: () => Response) {
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => answer())
  onTestFinished(() => spy.mockRestore())
}

const loseConnection = () =>
  answerWith(() => {
    throw new TypeError('Failed to fetch')
  })

const textOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => errorText(error, 'The fallback.'),
  )
const write = () => textOf(api(disableOtp, { body: { token: '123456' } }))
const read = () => textOf(api(otpStatus, {}))

test('a write whose answer was lost may have been done, a read changes nothing', async () => {
  loseConnection()
  expect(await write()).toBe(mayBeDone)
  expect(await read()).toBe(nothingChanged)
})

test('a write whose answer broke off may have been done', async () => {
  const broken = () => new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) })
  answerWith(() => new Response(broken()))
  expect(await write()).toBe(mayBeDone)
})

test.each([403, 504])("a proxy's answer to a write does not say whether it was done: %s", async (status) => {
  answerWith(() => new Response('<h1>Please log in to this network</h1>', { status }))
  expect(await write()).toBe(mayBeDone)
  expect(await read()).toBe('The fallback.')
})

test('a write without a connection was not sent', async () => {
  const spy = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  onTestFinished(() => spy.mockRestore())
  loseConnection()
  expect(await write()).toBe(nothingChanged)
})

test('a write that was given up may have been done, a read changes nothing', async () => {
  answerWith(() => {
    throw new DOMException('Timed out', 'TimeoutError')
  })
  expect(await write()).toBe(mayBeDone)
  expect(await read()).toBe('The fallback.')
})

test("the server's own words come first", async () => {
  fakeApi.answer(disableOtp, () => {
    throw refusal(503, 'busy', 'The disk is full.')
  })
  expect(await write()).toBe('The disk is full.')
})
