import { MINUTE } from '#shared/dates.ts'
import type { LogContext } from './createLog.ts'

type Report = (error: unknown, facts?: LogContext) => void

/** More of them tell an operator nothing new. */
const MAX_PER_MINUTE = 100

/**
 * Writes a limited number of errors a minute, for those that anybody can cause as often as they like: while the database is away, every
 * request is one, and the log would fill its disk. The end of the minute, or of the process, tells how many were left out.
 */
export function limitErrors(report: Report): { report: Report; end: () => void } {
  let count = 0
  let minute: NodeJS.Timeout | undefined
  const end = () => {
    clearTimeout(minute)
    const left = count - MAX_PER_MINUTE
    count = 0
    minute = undefined
    if (left > 0) report(new Error(`${left} more errors of requests are not in the log.`))
  }
  return {
    report(error, facts) {
      minute ??= setTimeout(end, MINUTE).unref()
      count += 1
      if (count <= MAX_PER_MINUTE) report(error, facts)
    },
    end,
  }
}
