import { randomFillSync, randomUUID } from 'node:crypto'
import { v7 } from 'uuid'

/** Random bytes for many ids: to ask the system for those of each one costs more than all the rest of it. */
const randoms = Buffer.alloc(16 * 256)
let used = randoms.length
let milliseconds = 0
let sequence = 0

/** A UUIDv7: ids sort by the time they were made, which keeps indexes dense. Made in code, so that any PostgreSQL will do. */
export function newId(): string {
  if (used === randoms.length) {
    randomFillSync(randoms)
    used = 0
  }
  const random = randoms.subarray(used, used + 16)
  used += 16
  const now = Date.now()
  if (now > milliseconds) {
    milliseconds = now
    sequence = random.readUInt32BE(6) >>> 1
  } else {
    // Several in one millisecond are counted on; a full count borrows the next.
    sequence = (sequence + 1) | 0
    if (sequence === 0) milliseconds += 1
  }
  return v7({ random, msecs: milliseconds, seq: sequence })
}

/**
 * A UUIDv4, for what people are shown and quote: purchases, withdrawals and rewards. They see its first eight characters, which in a UUIDv7
 * are a clock that everybody of one minute shares. Says nothing about time.
 */
export const newShownId = (): string => randomUUID()
