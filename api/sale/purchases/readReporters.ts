import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Hash } from 'viem'
import { query } from '#api/entities/tables.ts'

/** Limits the accounts that an objection names, because the administrator's `overridden` has to name them all. */
export const MAX_REPORTERS = 10

export interface Reporter {
  userId: string
  email: string
}

/**
 * The accounts that have reported each of these transactions for a purchase that is not confirmed: first those that have an open one, each
 * by the time of its oldest. Anybody can report a transaction that is on the chain.
 */
export async function readReportersOf(em: EntityManager, hashes: readonly Hash[]): Promise<Map<Hash, Reporter[]>> {
  const reports = await query(em)
    .selectFrom(sql<{ hash: Hash }>`(select distinct unnest(${[...hashes]}::text[]) as hash)`.as('t'))
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom('purchases as p')
          .innerJoin('users as u', 'u.id', 'p.user')
          .select(['u.id as userId', 'u.email'])
          .whereRef('p.claimedHash', '=', 't.hash')
          .where('p.status', '<>', 'confirmed')
          .groupBy('u.id')
          .orderBy(sql`bool_and(p.closed_at is not null)`)
          .orderBy(({ fn }) => fn.min('p.openedAt'))
          .orderBy('u.id')
          .limit(MAX_REPORTERS)
          .as('r'),
      (join) => join.onTrue(),
    )
    .select(['t.hash', 'r.userId', 'r.email'])
    .execute()
  const reporters = new Map<Hash, Reporter[]>()
  for (const { hash, ...reporter } of reports) reporters.set(hash, [...(reporters.get(hash) ?? []), reporter])
  return reporters
}
