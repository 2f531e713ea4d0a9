import type { EntityManager } from '@mikro-orm/postgresql'
import { parseEntry } from '#shared/register/entries.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import type { Credit } from '#shared/register/values.ts'
import { sql } from '#api/platform/db/sql.ts'
import { earlier } from './settingFacts.ts'

export interface Corrections {
  entries: EntryOf<'correction'>[]
  /** The sum of the new credits of each number. */
  credits: Map<number, bigint>
}

/** The rewards of missed days that were paid after nodes were thawed, and are not in the log. */
export async function readCorrections(em: EntityManager, { now }: { now: Date }): Promise<Corrections> {
  // A correction of an archived month was published long ago, unless the register begins anew. Its entry's time is not read then.
  const rows = await sql<{ day: string; number: number; rate: string; at: string }>(
    em,
    `select c.day, n.number, c.rate, coalesce(l.recorded_at, c.created_at) as at
     from reward_corrections c
     join nodes n on n.purchase_id = c.purchase_id
     join reward_skips s on s.day = c.day and s.node_number = n.number
     left join ledger_entries l on l.date = c.day and l.cause = 'correction:' || to_char(c.day, 'YYYY-MM-DD') || ':' || c.purchase_id
     order by c.day, n.number`,
  )
  const published = rows.length > 0 ? await readCredited(em) : new Set<string>()
  const credits = new Map<number, bigint>()
  const byDay = Map.groupBy(
    rows.filter(({ day, number }) => !published.has(`${day} ${number}`)),
    ({ day }) => day,
  )
  const entries = [...byDay].map(([missed, numbers]): EntryOf<'correction'> => {
    for (const { number, rate } of numbers) credits.set(number, (credits.get(number) ?? 0n) + BigInt(rate))
    const time = numbers.map(({ at }) => earlier(new Date(at), now)).reduce((a, b) => (a > b ? a : b))
    return { kind: 'correction', time, missed, reason: 'thawed', credits: joinNeighbors(numbers) }
  })
  return { entries, credits }
}

/** Each `day number` that has been credited. Corrections are rare. */
async function readCredited(em: EntityManager): Promise<Set<string>> {
  const rows = await sql<{ text: string }>(em, `select text from register_entries where kind = 'correction'`)
  const credited = new Set<string>()
  for (const { text } of rows) {
    const entry = parseEntry(text)
    if (entry.kind !== 'correction' || entry.reason !== 'thawed') continue
    for (const { first, last } of entry.credits)
      for (let number = first; number <= last; number++) credited.add(`${entry.missed} ${number}`)
  }
  return credited
}

function joinNeighbors(numbers: readonly { number: number; rate: string }[]): Credit[] {
  const credits: Credit[] = []
  for (const { number, rate } of numbers) {
    const amount = BigInt(rate)
    const before = credits.at(-1)
    if (before && before.last + 1 === number && before.amount === amount) before.last = number
    else credits.push({ first: number, last: number, amount })
  }
  return credits
}
