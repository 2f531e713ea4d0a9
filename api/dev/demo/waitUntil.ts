import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE } from '#shared/dates.ts'

/** Waits for the work of other roles. @throws an error with the name after two minutes. */
export async function waitUntil(name: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 2 * MINUTE
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`The demo timed out waiting for ${name}.`)
    await delay(100)
  }
}
