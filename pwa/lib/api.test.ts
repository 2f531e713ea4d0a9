import { expect, onTestFinished, test, vi } from 'vitest'
import { AnswerLost } from '#shared/contract/client.ts'
import { endOtherSessions } from '#shared/contract/sessions.ts'
import { getConfig } from '#shared/contract/settings.ts'
import { api } from './api.ts'

test('a call that changes something counts as lost after a minute without an answer; a reading waits', async () => {
  const patience = new AbortController()
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(patience.signal)
  const asked = vi.fn((_input: RequestInfo | URL, init?: RequestInit) => {
    return new Promise<Response>((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal!.reason)))
  })
  vi.stubGlobal('fetch', asked)
  onTestFinished(() => {
    timeout.mockRestore()
    vi.unstubAllGlobals()
  })

  void api(getConfig, {}).catch(() => undefined)
  await expect.poll(() => asked).toHaveBeenCalledOnce()
  expect(timeout).not.toHaveBeenCalled()

  const change = api(endOtherSessions, {})
  await expect.poll(() => asked).toHaveBeenCalledTimes(2)
  expect(timeout).toHaveBeenCalledExactlyOnceWith(60_000)
  patience.abort(new DOMException('Timed out', 'TimeoutError'))
  await expect(change).rejects.toBeInstanceOf(AnswerLost)
})
