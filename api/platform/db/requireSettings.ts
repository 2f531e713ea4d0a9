import type { ClientBase } from 'pg'
import { ConfigError } from '../ConfigError.ts'

interface Requirement {
  isMet: (value: string) => boolean
  mustBe: string
  because: string
}

/**
 * Defaults of PostgreSQL on which the rules of money rely, and which may have been changed for the server, the database or the role
 * (money.md 43).
 */
const requirements: Record<string, Requirement> = {
  default_transaction_isolation: {
    isMet: (value) => value === 'read committed',
    mustBe: "'read committed'",
    because: 'Limits and balances are read after a lock, and must include what was committed while waiting for it.',
  },
  DateStyle: {
    isMet: (value) => value.startsWith('ISO'),
    mustBe: "'ISO'",
    because: 'The driver reads times of other styles as missing: nothing would be on hold or frozen.',
  },
  session_replication_role: {
    isMet: (value) => value === 'origin',
    mustBe: "'origin'",
    because: 'Otherwise no trigger keeps the past as it is.',
  },
  synchronous_commit: {
    isMet: (value) => value !== 'off',
    mustBe: "'on'",
    because: 'Otherwise a crash of the server loses what was answered with success.',
  },
  standard_conforming_strings: {
    isMet: (value) => value === 'on',
    mustBe: "'on'",
    because: 'Otherwise a backslash in a text changes what a statement means.',
  },
  client_min_messages: {
    isMet: (value) => value !== 'error',
    mustBe: "'notice'",
    because: 'A commit that no standby has confirmed is recognized by its warning.',
  },
}

const names = Object.keys(requirements)
const readValues = `select ${names.map((name) => `current_setting('${name}') as "${name}"`).join(', ')}`

/**
 * Asked of every connection that a pool opens: a setting may be changed while the process runs, and then counts for new connections.
 *
 * @throws {ConfigError} if the connection has settings under which the application's rules do not hold.
 */
export async function requireSettings(connection: Pick<ClientBase, 'query'>): Promise<void> {
  const { rows } = await connection.query<Record<string, string>>(readValues)
  const problems = names.flatMap((name) => {
    const { isMet, mustBe, because } = requirements[name]!
    const value = rows[0]![name]!
    return isMet(value)
      ? []
      : [
          `The database's setting ${name} is '${value}' and must be ${mustBe}. ${because} Change it for the server, the database and the role of DATABASE_URL.`,
        ]
  })
  if (problems.length > 0) throw new ConfigError(problems)
}
