import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

const ROW = /^(purchase|withdrawal|deposit):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

interface Named {
  action: string
  target: string | null
}

/**
 * What an account is found by: its email address, which entries are recorded under in two forms, or the kind and id of its row. Entries about
 * administrators are recorded under theirs, which may be a holder's too.
 */
const keyOf = ({ action, target }: Named): string =>
  target === null || action.startsWith('admin.') ? '' : target.replace(/^user:/, '')

/** Finds the account that an entry concerns, by the entries' targets. The returned function knows those of the given entries only. */
export async function findOwners(em: EntityManager, entries: readonly Named[]): Promise<(entry: Named) => string | undefined> {
  const keys = entries.map(keyOf)
  const owners = new Map<string, string>()
  const emails = keys.filter((key) => key.includes('@'))
  if (emails.length > 0) {
    const users = await query(em).selectFrom('users').select(['id', 'email']).where('email', 'in', emails).execute()
    for (const { id, email } of users) owners.set(email, id)
  }
  for (const [kind, table] of [
    ['purchase', 'purchases'],
    ['withdrawal', 'withdrawals'],
    ['deposit', 'deposits'],
  ] as const) {
    const ids = keys.map((key) => ROW.exec(key)).flatMap((found) => (found?.[1] === kind ? [found[2]!] : []))
    if (ids.length === 0) continue
    const rows = await query(em).selectFrom(table).select(['id', 'user']).where('id', 'in', ids).execute()
    for (const { id, user } of rows) if (user) owners.set(`${kind}:${id}`, user)
  }
  return (entry) => owners.get(keyOf(entry))
}
