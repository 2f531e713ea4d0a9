import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { query } from '#api/entities/tables.ts'

/** Locks withdrawals, in the order of ids, before their payouts: a person may be deciding at this moment. */
export const lockWithdrawals = (em: EntityManager, ids: readonly string[]) =>
  query(em)
    .selectFrom('withdrawals')
    .select('id')
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('id')
    .forUpdate()
    .execute()

/** Locks those of these payouts that are not final, in the order of ids. */
export const lockSent = (em: EntityManager, ids: readonly string[]) =>
  query(em)
    .selectFrom('payouts')
    .select(['id', 'cancelRequestedAt'])
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('state', '=', 'sent')
    .orderBy('id')
    .forUpdate()
    .execute()
