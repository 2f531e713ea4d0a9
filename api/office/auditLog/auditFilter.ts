import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { query } from '#api/entities/tables.ts'
import { escapeLike } from '#api/platform/db/escapeLike.ts'

export interface AuditFilter {
  action?: string | undefined
  /** A part of the actor, case-insensitive. */
  actor?: string | undefined
  /** The email address of the account that entries concern. */
  person?: string | undefined
  from?: Date | undefined
  /** Exclusive. */
  until?: Date | undefined
}

/** The index finds texts by trigrams, which need three consecutive letters or digits. */
const hasTrigram = (text: string): boolean => /[a-z0-9]{3}/i.test(text)

/** The number of entries that are paged, and the number of newest entries scanned where no index helps. */
export const ENTRIES_SEARCHED = 10_000

/** Whether an index finds the entries of a filter. Otherwise only the newest entries are scanned. */
export const isIndexed = ({ actor, person }: AuditFilter): boolean => Boolean(person) || !actor || hasTrigram(actor)

/**
 * What entries about an account are recorded under: its email address, or one of its purchases, withdrawals or deposits. They are read
 * first, because a condition with a subquery would read the whole log.
 */
export async function readTargets(em: EntityManager, person: string | undefined): Promise<string[]> {
  if (!person) return []
  const email = person.toLowerCase()
  const user = await query(em).selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
  const targets = [email, `user:${email}`]
  if (!user) return targets
  const purchases = await query(em).selectFrom('purchases').select('id').where('user', '=', user.id).execute()
  const withdrawals = await query(em).selectFrom('withdrawals').select('id').where('user', '=', user.id).execute()
  const deposits = await query(em).selectFrom('deposits').select('id').where('user', '=', user.id).execute()
  targets.push(
    user.id,
    ...purchases.map(({ id }) => `purchase:${id}`),
    ...withdrawals.map(({ id }) => `withdrawal:${id}`),
    ...deposits.map(({ id }) => `deposit:${id}`),
  )
  return targets
}

interface Found extends AuditFilter {
  /** Of `readTargets`. */
  targets: readonly string[]
  newest?: boolean
}

/** The entries of a filter, from all entries or from the newest. */
export function findEntries(em: EntityManager, { action, actor, person, targets, from, until, newest }: Found) {
  let entries = query(em).selectFrom((eb) => {
    const all = eb.selectFrom('audit_entries').selectAll()
    return (newest ? all.orderBy('at', 'desc').orderBy('id', 'desc').limit(ENTRIES_SEARCHED) : all).as('e')
  })
  if (action) entries = entries.where('e.action', '=', action)
  if (actor) entries = entries.where('e.actor', 'ilike', `%${escapeLike(actor)}%`)
  if (from) entries = entries.where('e.at', '>=', from)
  if (until) entries = entries.where('e.at', '<', until)
  if (person)
    entries = entries.where((eb) =>
      eb.or([
        sql<boolean>`${eb.ref('e.target')} = any(${targets}::text[])`,
        // `ilike` uses the index of trigrams, which equality does not.
        eb('e.actor', 'ilike', escapeLike(`user:${person}`)),
      ]),
    )
  return entries
}
