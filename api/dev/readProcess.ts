import { readFileSync } from 'node:fs'

export interface ProcessFacts {
  /** Of the program, cut to 15 characters. */
  name: string
  parent: number
  /** In ticks since the machine started: tells a process from a later one that got its number. */
  startedAt: string
}

/** What Linux says of a process; undefined if it is gone (or dead and not yet buried), or the system does not say. */
export function readProcess(pid: number): ProcessFacts | undefined {
  try {
    // The name stands in parentheses and may itself hold anything.
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const fields = rest.split(' ')
    return fields[0] === 'Z' ? undefined : { name, parent: Number(fields[1]), startedAt: fields[19] ?? '' }
  } catch {
    return undefined
  }
}
