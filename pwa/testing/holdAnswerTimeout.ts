import { act } from '@testing-library/react'
import { onTestFinished, vi } from 'vitest'

/** Half a minute, after which a dialog gives up the answer it waits for. */
const TIMEOUT = 30_000

/** Lets no dialog give up its answer by the clock. @returns what makes those that wait give up. */
export function holdAnswerTimeout(): () => void {
  const held: AbortController[] = []
  const startTimeout = AbortSignal.timeout.bind(AbortSignal)
  const spy = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((time) => (time === TIMEOUT ? held[held.push(new AbortController()) - 1]!.signal : startTimeout(time)))
  onTestFinished(() => spy.mockRestore())
  return () => act(() => held.forEach((controller) => controller.abort(new DOMException('Timed out', 'TimeoutError'))))
}
