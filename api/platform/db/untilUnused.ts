import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { SECOND } from '#shared/dates.ts'

/** A process that stops has ten seconds for everything. In milliseconds. */
const LONGEST_WAIT = 2 * SECOND
const POLL_INTERVAL = 10

/**
 * Waits until nobody uses a connection of the pools or waits for one, at most two seconds. To be called before they are closed: the query
 * builder leaves a connection open that is established while it is closed, and then waits for it forever.
 */
export async function untilUnused(pools: readonly Pool[]): Promise<void> {
  const isUsed = ({ totalCount, idleCount, waitingCount }: Pool) => waitingCount > 0 || totalCount > idleCount
  for (let waited = 0; waited < LONGEST_WAIT && pools.some(isUsed); waited += POLL_INTERVAL) await delay(POLL_INTERVAL)
}
