import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE } from '#shared/dates.ts'

/** Waits for what the other roles do. @throws after two minutes, naming it. */
export async function waitUntil(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 2 * MINUTE
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`The demo has waited in vain for ${what}.`)
    await delay(100)
  }
}
