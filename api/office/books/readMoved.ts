import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { query } from '#api/entities/tables.ts'

/** Nearly all entries are daily rewards, whose sums the days have. The others have an index of their own. */
const isNotDaily = (cause: `${'e' | 'f' | 't'}.cause`) => sql<boolean>`${sql.ref(cause)} not like 'distribution:%'`

/** The rewards of the days from `begin` to before `end`. */
async function sumRewards(em: EntityManager, { begin, end = '9999-12-31' }: { begin: string; end?: string }): Promise<bigint> {
  const { amount } = await query(em)
    .selectFrom('reward_runs')
    .select(({ fn, lit }) => fn.coalesce(fn.sum<bigint>('amount'), lit(0)).as('amount'))
    .where('day', '>=', begin)
    .where('day', '<', end)
    .executeTakeFirstOrThrow()
  return BigInt(amount)
}

/** The XCR moved in a month by each kind of cause. */
export async function readMoved(
  em: EntityManager,
  { begin, end }: { begin: string; end: string },
): Promise<(kind: string) => bigint> {
  const archived = await query(em).selectFrom('archived_months').select('moved').where('month', '=', begin).executeTakeFirst()
  const rows = await query(em)
    .selectFrom('ledger_entries as e')
    .select(({ fn, ref }) => [
      sql<string>`split_part(${ref('e.cause')}, ':', 1)`.as('kind'),
      fn.sum<bigint>('e.amount').as('moved'),
    ])
    .where('e.date', '>=', begin)
    .where('e.date', '<', end)
    .where(isNotDaily('e.cause'))
    .groupBy('kind')
    .execute()
  const byKind = new Map(rows.map(({ kind, moved }) => [kind, BigInt(moved)]))
  byKind.set('distribution', await sumRewards(em, { begin, end }))
  for (const [kind, moved] of Object.entries(archived?.moved ?? {})) byKind.set(kind, BigInt(moved))
  return (kind) => byKind.get(kind) ?? 0n
}

/** What holders gain by the kinds of causes; the others move nothing of theirs. Daily rewards are summed separately. */
const gains: Record<string, bigint> = { correction: 1n, refund: 1n, debt: 1n, withdrawal: -1n, 'debt-paid': -1n }

/**
 * What holders gained, less what they lost, from a day on. The balances of an earlier time are today's without it: a month in the past
 * reads the months after it rather than all before it.
 */
export async function readNet(em: EntityManager, day: string): Promise<bigint> {
  const { net } = await query(em)
    .selectFrom((eb) =>
      eb
        .selectFrom('ledger_entries as t')
        .select(['t.toAccount as account', 't.amount as gained'])
        .where('t.date', '>=', day)
        .where(isNotDaily('t.cause'))
        .unionAll(
          eb
            .selectFrom('ledger_entries as f')
            .select(({ ref }) => ['f.fromAccount as account', sql<bigint>`-${ref('f.amount')}`.as('gained')])
            .where('f.date', '>=', day)
            .where(isNotDaily('f.cause')),
        )
        .as('moves'),
    )
    .select(({ fn, lit }) => fn.coalesce(fn.sum<bigint>('moves.gained'), lit(0)).as('net'))
    // Of the few house accounts, so that the others are not read.
    .where('moves.account', 'not in', (eb) => eb.selectFrom('accounts as a').select('a.id').where('a.kind', '<>', 'user'))
    .executeTakeFirstOrThrow()
  const archived = await query(em).selectFrom('archived_months').select('moved').where('month', '>=', day).execute()
  const before = archived
    .flatMap(({ moved }) => Object.entries(moved))
    .reduce((sum, [kind, amount]) => sum + (gains[kind] ?? 0n) * BigInt(amount), 0n)
  return BigInt(net) + before + (await sumRewards(em, { begin: day }))
}
