import { MINUTE } from '#shared/dates.ts'
import type { LogContext } from './createLog.ts'

type Report = (error: unknown, facts?: LogContext) => void

/** More of them tell an operator nothing new. */
const MAX_PER_MINUTE = 100

/**
 * Writes a limited number of errors a minute, for those that anybody can cause as often as they like: while the database is away, every
 * request is one, and the log would fill its disk.
 */
export function limitErrors(report: Report): Report {
  let minute = { began: -Infinity, count: 0 }
  return (error, facts) => {
    const now = performance.now()
    if (now - minute.began >= MINUTE) {
      const left = minute.count - MAX_PER_MINUTE
      minute = { began: now, count: 0 }
      if (left > 0) report(new Error(`${left} more errors of requests are not in the log.`))
    }
    minute.count += 1
    if (minute.count <= MAX_PER_MINUTE) report(error, facts)
  }
}
