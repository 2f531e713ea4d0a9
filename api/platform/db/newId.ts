import { randomFillSync, randomUUID } from 'node:crypto'
import { v7 } from 'uuid'

/** Random bytes for many ids, because one system call per id would dominate its cost. */
const randoms = Buffer.alloc(16 * 256)
let used = randoms.length
let milliseconds = 0
let sequence = 0

/**
 * Creates a UUIDv7: ids sort by creation time, which keeps indexes dense. Created in code, so that any PostgreSQL version works.
 */
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
    // Ids within one millisecond are numbered; an overflow borrows the next millisecond.
    sequence = (sequence + 1) | 0
    if (sequence === 0) milliseconds += 1
  }
  return v7({ random, msecs: milliseconds, seq: sequence })
}

/**
 * Creates a UUIDv4 for rows that users see and quote: purchases, withdrawals and rewards. Users see the first eight characters,
 * which in a UUIDv7 are a timestamp shared by all ids of about a minute. Does not sort by time.
 */
export const newShownId = (): string => randomUUID()
