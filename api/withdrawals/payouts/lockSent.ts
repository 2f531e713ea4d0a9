import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { PayoutState } from '#api/entities/Payout.ts'
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

/** States in which a nonce that is unused may be given another transaction. */
export const UNPAID = ['sent', 'reverted'] as const

/** Locks the payouts among these in one of these states, by ascending id. */
const lockIn = (em: EntityManager, ids: readonly string[], states: readonly PayoutState[]) =>
  query(em)
    .selectFrom('payouts')
    .select(['id', 'state', 'cancelRequestedAt'])
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('state', 'in', states)
    .orderBy('id')
    .forUpdate()
    .execute()

/** Locks the payouts among these that are not final, by ascending id. */
export const lockSent = (em: EntityManager, ids: readonly string[]) => lockIn(em, ids, ['sent'])

/** Likewise those that may be replaced or cancelled. */
export const lockUnpaid = (em: EntityManager, ids: readonly string[]) => lockIn(em, ids, UNPAID)
