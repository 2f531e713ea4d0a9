import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { query } from '#api/entities/tables.ts'

/** Locks withdrawals by ascending id, before their payouts, because an administrator may be deciding on one. */
export const lockWithdrawals = (em: EntityManager, ids: readonly string[]) =>
  query(em)
    .selectFrom('withdrawals')
    .select('id')
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('id')
    .forUpdate()
    .execute()

/** Locks the payouts among these that are not final, by ascending id. */
export const lockSent = (em: EntityManager, ids: readonly string[]) =>
  query(em)
    .selectFrom('payouts')
    .select(['id', 'cancelRequestedAt'])
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('state', '=', 'sent')
    .orderBy('id')
    .forUpdate()
    .execute()
