import type { EntityManager } from '@mikro-orm/postgresql'
import { parseEntry } from '#shared/register/entries.ts'
import type { Entry, EntryKind } from '#shared/register/entryForms.ts'
import { sql } from '#api/platform/db/sql.ts'
import { query } from '#api/entities/tables.ts'

/** The entries of a kind that has few, in order. */
export async function readEntries<Kind extends EntryKind>(
  em: EntityManager,
  kind: Kind,
): Promise<Extract<Entry, { kind: Kind }>[]> {
  const rows = await query(em).selectFrom('register_entries').select('text').where('kind', '=', kind).orderBy('index').execute()
  return rows.map(({ text }) => requireKind(text, kind))
}

/** The newest entry of a kind. */
export async function readLast<Kind extends EntryKind>(
  em: EntityManager,
  kind: Kind,
): Promise<Extract<Entry, { kind: Kind }> | undefined> {
  const row = await query(em)
    .selectFrom('register_entries')
    .select('text')
    .where('kind', '=', kind)
    .orderBy('index', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && requireKind(row.text, kind)
}

/**
 * The latest time of the facts that the next books will contain; the beginning of time if there are none yet. Compared by the database,
 * because there may be a million of them (`appendIgnored`): times of one length and zone sort as texts.
 */
export async function readLatestSinceBooks(em: EntityManager): Promise<Date> {
  const [row] = await sql<{ latest: string | null }>(
    em,
    `select max(substring(text from E'\\ntime ([^\\n]*)\\n') collate "C") as latest from register_entries
     where kind <> 'day' and index > (select coalesce(max(index), -1) from register_entries where kind = 'books')`,
  )
  return new Date(row!.latest ?? 0)
}

function requireKind<Kind extends EntryKind>(text: string, kind: Kind): Extract<Entry, { kind: Kind }> {
  const entry = parseEntry(text)
  if (!isKind(entry, kind)) throw new Error(`An entry of kind ${entry.kind} is stored as ${kind}.`)
  return entry
}

const isKind = <Kind extends EntryKind>(entry: Entry, kind: Kind): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind
