import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

/**
 * The number of accounts that a search covers: the newest matches (decision 13). Nobody pages through more, and the cost of
 * covering all would grow with their number.
 */
export const ACCOUNTS_SEARCHED = 1_000

/** The number of newest accounts sampled to estimate how many match. */
const SAMPLE_SIZE = 5_000
/**
 * From this many matches in the sample on, scanning accounts from the newest is cheaper than fetching all matches from an index.
 */
const SCAN_THRESHOLD = 55

export interface AccountMatch {
  /** Whether too many accounts match to sort them. */
  areMany: boolean
  /** Two SQL conditions for the matching `users`: one for an index, one for a scan. */
  indexed: string
  looked: string
  /** The values of `$1` and following. */
  parameters: unknown[]
}

/**
 * Selects the accounts whose email address contains a text, case-insensitive and without wildcards.
 *
 * Three consecutive letters or digits make a trigram, which an index finds; shorter texts are found by their pairs of characters.
 */
export async function matchAccounts(em: EntityManager, text: string): Promise<AccountMatch> {
  const term = text.toLowerCase()
  const sample = await query(em)
    .selectFrom((eb) =>
      eb.selectFrom('users').select('email').orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(SAMPLE_SIZE).as('newest'),
    )
    .select(({ fn }) => fn.countAll<number>().as('matching'))
    .where(({ fn, val }) => fn<number>('strpos', ['newest.email', val(term)]), '>', 0)
    .executeTakeFirstOrThrow()
  return { areMany: sample.matching > SCAN_THRESHOLD, ...conditionsOf(term) }
}

function conditionsOf(term: string): Omit<AccountMatch, 'areMany'> {
  const looked = 'strpos(users.email, $1) > 0'
  if (/[a-z0-9]{3}/.test(term)) {
    const pattern = `%${term.replace(/[\\%_]/g, String.raw`\$&`)}%`
    return {
      indexed: 'users.email like $2 and $1::text is not null',
      looked: `${looked} and $2::text is not null`,
      parameters: [term, pattern],
    }
  }
  const grams = 'email_grams(users.email) @> $2::text[]'
  return { indexed: `${grams} and ${looked}`, looked: `${looked} and $2::text[] is not null`, parameters: [term, gramsOf(term)] }
}

/** The same as `email_grams` in the database: adjacent pairs, or the single character. */
function gramsOf(term: string): string[] {
  // Code points, as in PostgreSQL.
  const characters = Array.from(term)
  if (characters.length < 2) return characters
  return [...new Set(characters.slice(1).map((character, index) => `${characters[index]}${character}`))]
}
