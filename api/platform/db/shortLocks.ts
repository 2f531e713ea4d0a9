import { setTimeout as delay } from 'node:timers/promises'

/**
 * Longest wait for the lock of a table that is changed. All other statements on the table queue behind a change that waits for it, so the
 * change gives up its place while a long export, audit or backup reads the table.
 */
export const LOCK_TIMEOUT = '2s'
const ATTEMPTS = 30
const RETRY_DELAY = 2_000

/** The error code of an expired `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03'

/** Repeats a change under `LOCK_TIMEOUT` that did not get its locks, for about two minutes. */
export async function retryForLocks<T>(change: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await change()
    } catch (error) {
      const isBusy = (error as { code?: string }).code === LOCK_NOT_AVAILABLE
      if (!isBusy || attempt === ATTEMPTS) throw error
      await delay(RETRY_DELAY)
    }
  }
}
