import { inspect } from 'node:util'
import type { Config } from '../config.ts'
import { createSecretHider, withoutRows } from './describeError.ts'

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

/** Context of a message, such as the request's id. */
export type LogContext = Readonly<Record<string, string | number | boolean | undefined>>

export interface Log {
  debug(message: string, facts?: LogContext): void
  info(message: string, facts?: LogContext): void
  warn(message: string, facts?: LogContext): void
  /** A bug or an unavailable dependency. Messages for operators begin with `ALERT: `. */
  error(error: unknown, facts?: LogContext): void
  /** Whether lines of this level are written, to skip building expensive messages. */
  writes(level: LogLevel): boolean
}

export interface LogOptions {
  config: Config
  /** The process's name in each line. */
  role: string
  write?: (line: string, level: LogLevel) => void
}

/** Whether an operator must act. */
export const isAlert = (error: unknown): boolean => error instanceof Error && error.message.startsWith('ALERT: ')

const writeToStreams = (line: string, level: LogLevel): void =>
  void (level === 'error' || level === 'warn' ? process.stderr : process.stdout).write(line)

/**
 * Writes lines to stdout, warnings and errors to stderr: as JSON in production, human-readable otherwise. Lines contain neither
 * secrets of the configuration nor row data that PostgreSQL quotes.
 */
export function createLog({ config, role, write = writeToStreams }: LogOptions): Log {
  const hide = createSecretHider(config)
  const minLevel = logLevels.indexOf(config.LOG_LEVEL)
  const writes = (level: LogLevel) => logLevels.indexOf(level) >= minLevel

  const writeLine = (level: LogLevel, message: string, facts: LogContext = {}, details?: { error: string }) => {
    if (!writes(level)) return
    const time = new Date().toISOString()
    const given = Object.entries(facts).filter(([, value]) => value !== undefined)
    if (config.production) {
      const safe = given.map(([name, value]) => [name, typeof value === 'string' ? hide(value) : value])
      write(`${JSON.stringify({ time, level, role, message, ...Object.fromEntries(safe), ...details })}\n`, level)
      return
    }
    const words = given.map(([name, value]) => `${name}=${String(value)}`)
    write(`${[time, ...(level === 'info' ? [] : [level]), details?.error ?? message, ...words.map(hide)].join(' ')}\n`, level)
  }

  return {
    debug: (message, facts) => writeLine('debug', hide(message), facts),
    info: (message, facts) => writeLine('info', hide(message), facts),
    warn: (message, facts) => writeLine('warn', hide(message), facts),
    error(error, facts) {
      const message = hide(error instanceof Error ? error.message : String(error))
      const alert = isAlert(error) ? { alert: true } : {}
      writeLine('error', message, { ...facts, ...alert }, { error: hide(inspect(withoutRows(error), { depth: 4 })) })
    },
    writes,
  }
}
