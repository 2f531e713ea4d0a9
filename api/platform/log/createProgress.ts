import { SECOND } from '#shared/dates.ts'

/** How often a line is written where lines cannot be overwritten, such as in a file. */
const LINE_INTERVAL = 5 * SECOND

export interface Progress {
  /** Shows what is being done and, if the total is known, how far it is. */
  show(text: string, done?: number, total?: number): void
  /** Removes the line from a terminal. */
  end(): void
}

interface Output {
  isTTY?: boolean
  write(text: string): unknown
}

/**
 * Shows the progress of a command on stderr, which leaves its result on stdout alone: one line that is overwritten on a terminal, else a line
 * every five seconds.
 */
export function createProgress(output: Output = process.stderr): Progress {
  const begun = performance.now()
  let writtenAt = begun
  let isShown = false
  return {
    show(text, done, total) {
      const now = performance.now()
      const share = done === undefined || total === undefined ? '' : `: ${done} of ${total}`
      const line = `${text}${share} (${Math.round((now - begun) / SECOND)} s)`
      if (output.isTTY) {
        output.write(`\r\u001B[2K${line}`)
        isShown = true
      } else if (now - writtenAt >= LINE_INTERVAL) {
        output.write(`${line}\n`)
        writtenAt = now
      }
    },
    end() {
      if (isShown) output.write('\r\u001B[2K')
      isShown = false
    },
  }
}
