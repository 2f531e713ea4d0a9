import { randomFillSync, randomUUID } from 'node:crypto'
import { v7 } from 'uuid'
import { MINUTE } from '#shared/dates.ts'

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
  // A clock that was ahead and is set right again is followed: ids must not stay ahead until the process ends.
  if (now > milliseconds || now < milliseconds - MINUTE) {
    milliseconds = now
    sequence = random.readUInt32BE(6) >>> 1
  } else {
    // Ids within one millisecond are numbered; an overflow borrows the next millisecond.
    sequence = (sequence + 1) | 0
    if (sequence === 0) milliseconds += 1
  }
  return v7({ random, msecs: milliseconds, seq: sequence })
}

/** Sorts before every id: where reading all rows in the order of their ids begins. */
export const LOWEST_ID = '00000000-0000-0000-0000-000000000000'

/** The real time at which a UUIDv7 was created, by the clock of its machine. */
export const timeOfId = (id: string): Date => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))

/** Creates a UUIDv7 of a later time than another one, even if that is from a machine whose clock is ahead. */
export function newIdAfter(last: string): string {
  const [id, earliest] = [newId(), timeOfId(last).getTime() + 1]
  return timeOfId(id).getTime() < earliest ? v7({ msecs: earliest }) : id
}

/**
 * Creates a UUIDv4 for rows that users see and quote: purchases, withdrawals and rewards. Users see the first eight characters,
 * which in a UUIDv7 are a timestamp shared by all ids of about a minute. Does not sort by time.
 */
export const newShownId = (): string => randomUUID()
