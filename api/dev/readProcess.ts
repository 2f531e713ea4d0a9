import { readFileSync } from 'node:fs'

export interface ProcessFacts {
  /** The name of the program, truncated to 15 characters. */
  name: string
  parent: number
  /** In ticks since the machine started. Distinguishes the process from a later one with the same id. */
  startedAt: string
}

/** Reads a process from Linux' `/proc`. Undefined if it has ended (zombies included) or the system has no `/proc`. */
export function readProcess(pid: number): ProcessFacts | undefined {
  try {
    // The name is in parentheses and may contain any character.
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const fields = rest.split(' ')
    return fields[0] === 'Z' ? undefined : { name, parent: Number(fields[1]), startedAt: fields[19] ?? '' }
  } catch {
    return undefined
  }
}
