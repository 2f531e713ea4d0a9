import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

/**
 * How many accounts a search looks at: the newest that match (decision 13). Nobody looks through more than that, and all of them would
 * cost the more the more there are.
 */
export const ACCOUNTS_SEARCHED = 1_000

/** Of the newest accounts, by which it is seen how many there are that match. */
const SAMPLE = 5_000
/** So many of the sample, and it costs less to go through accounts from the newest on than to fetch all that an index names. */
const MANY = 55

export interface AccountMatch {
  /** Whether more of all accounts match than one would sort. */
  areMany: boolean
  /** SQL that is true of the `users` that match, for an index to answer; and the same where each is looked at. */
  indexed: string
  looked: string
  /** `$1` and on. */
  parameters: unknown[]
}

/**
 * Which accounts have an e-mail address that contains a text, whatever its case, and nothing in it being a wildcard.
 *
 * Three letters or digits in a row make a trigram, which an index finds; whatever is shorter is found by its pairs of characters.
 */
export async function matchAccounts(em: EntityManager, text: string): Promise<AccountMatch> {
  const term = text.toLowerCase()
  const sample = await query(em)
    .selectFrom((eb) =>
      eb.selectFrom('users').select('email').orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(SAMPLE).as('newest'),
    )
    .select(({ fn }) => fn.countAll<number>().as('matching'))
    .where(({ fn, val }) => fn<number>('strpos', ['newest.email', val(term)]), '>', 0)
    .executeTakeFirstOrThrow()
  return { areMany: sample.matching > MANY, ...conditionsOf(term) }
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

/** As `email_grams` in the database: the pairs of neighbours, or the one character. */
function gramsOf(term: string): string[] {
  // As PostgreSQL counts them.
  const characters = Array.from(term)
  if (characters.length < 2) return characters
  return [...new Set(characters.slice(1).map((character, index) => `${characters[index]}${character}`))]
}
