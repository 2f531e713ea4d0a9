/**
 * How many accounts a search looks at: the newest that match. More than that are not looked through by a person, and counting them all
 * would cost the more the more there are (decision 11).
 */
export const ACCOUNTS_SEARCHED = 10_000

export interface AccountMatch {
  /** SQL that is true of the `users` that match; its parameters are the next ones from the given number on. */
  condition: string
  parameters: unknown[]
}

/**
 * SQL for the accounts whose e-mail address contains a text, whatever its case, and nothing in it being a wildcard.
 *
 * Three letters or digits in a row make a trigram, which an index finds; whatever is shorter is found by its pairs of characters.
 *
 * @param next the number of the next parameter.
 */
export function matchAccounts(text: string, next: number): AccountMatch {
  const term = text.toLowerCase()
  const pattern = `%${term.replace(/[\\%_]/g, String.raw`\$&`)}%`
  if (/[a-z0-9]{3}/.test(term)) return { condition: `users.email like $${next}`, parameters: [pattern] }
  return {
    condition: `email_grams(users.email) @> $${next}::text[] and users.email like $${next + 1}`,
    parameters: [gramsOf(term), pattern],
  }
}

function gramsOf(term: string): string[] {
  const characters = [...term]
  if (characters.length < 2) return characters
  return [...new Set(characters.slice(1).map((character, index) => `${characters[index]}${character}`))]
}
