import type { EntityManager } from '@mikro-orm/postgresql'
import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely'
import type { AuditRow } from '#shared/contract/admin/audit.ts'
import { query, type Tables } from '#api/entities/tables.ts'
import { holdingActions } from '#api/withdrawals/requests/findHoldEnd.ts'
import type { Page } from '../lists/pagedLists.ts'
import { countRows, type Part, type PartOf } from './personParts.ts'

/** At most so many rows of each kind contribute their entries. */
const MAX_SUBJECTS = 1_000

/** The audit log's entries about the account and its latest rows, and of what its owner did. Latest first. */
export async function readEntries(
  em: EntityManager,
  { userId, email, ...page }: PartOf & { email: string },
): Promise<Part<AuditRow>> {
  const deposits = await query(em)
    .selectFrom('deposits')
    .select('id')
    .where('user', '=', userId)
    .orderBy('firstSeenAt', 'desc')
    .limit(MAX_SUBJECTS)
    .execute()
  const targets = [
    email,
    `user:${email}`,
    ...(await readTargets(em, 'purchases', userId)),
    ...(await readTargets(em, 'withdrawals', userId)),
    ...deposits.map(({ id }) => `deposit:${id}`),
  ]
  return readEntriesAbout(em, page, (eb) =>
    eb.or([eb('target', '=', eb.fn.any(eb.val(targets))), eb('actor', '=', `user:${email}`)]),
  )
}

/** The entries about holds of the account's latest withdrawals, latest first. */
export async function readHolds(
  em: EntityManager,
  { userId, email, ...page }: PartOf & { email: string },
): Promise<Part<AuditRow>> {
  const withdrawals = await readTargets(em, 'withdrawals', userId)
  return readEntriesAbout(em, page, (eb) =>
    eb.or([
      eb.and([
        eb('target', '=', email),
        eb.or([
          eb('action', 'in', Object.keys(holdingActions)),
          sql<boolean>`${eb.ref('after')} ->> 'holdsWithdrawals' is not null`,
        ]),
      ]),
      eb.and([
        eb('target', '=', eb.fn.any(eb.val(withdrawals))),
        eb.or([eb('action', '=', 'withdrawal.hold'), sql<boolean>`${eb.ref('before')} ->> 'heldUntil' is not null`]),
      ]),
    ]),
  )
}

/** What entries about the account's latest rows are recorded under. Read first, because a subquery would read the whole log. */
async function readTargets(em: EntityManager, table: 'purchases' | 'withdrawals', userId: string): Promise<string[]> {
  const rows = await query(em)
    .selectFrom(table)
    .select('id')
    .where('user', '=', userId)
    .orderBy('createdAt', 'desc')
    .limit(MAX_SUBJECTS)
    .execute()
  return rows.map(({ id }) => `${table === 'purchases' ? 'purchase' : 'withdrawal'}:${id}`)
}

async function readEntriesAbout(
  em: EntityManager,
  { limit, offset }: Page,
  condition: (eb: ExpressionBuilder<Tables, 'audit_entries'>) => Expression<SqlBool>,
): Promise<Part<AuditRow>> {
  const about = () => query(em).selectFrom('audit_entries').where(condition)
  const rows = await about()
    .select(['id', 'at', 'actor', 'ipAddress as ip', 'action', 'target', 'before', 'after'])
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, totalCount: await countRows(about()) }
}
