import { type SelectQueryBuilder, sql } from 'kysely'
import type { UserSort } from '#shared/contract/admin/users.ts'
import type { matchUsers } from './matchRows.ts'

type Matches = ReturnType<typeof matchUsers> extends SelectQueryBuilder<infer DB, infer TB, object> ? [DB, TB] : never

/** Puts the accounts of `matchUsers` into an order; accounts with the same value by their ids. */
export function inUserOrder<Row>(
  users: SelectQueryBuilder<Matches[0], Matches[1], Row>,
  sort: UserSort = 'newest',
): SelectQueryBuilder<Matches[0], Matches[1], Row> {
  switch (sort) {
    case 'oldest':
      return users.orderBy('r.createdAt').orderBy('r.id')
    case 'email':
      return users.orderBy('r.email')
    case 'nodes':
      return users.orderBy((eb) => eb('c.paid', '+', eb.ref('c.bonus')), 'desc').orderBy('r.id', 'desc')
    case 'balance':
      return users.orderBy((eb) => eb.fn.coalesce('a.balance', sql.lit(0)), 'desc').orderBy('r.id', 'desc')
    case 'earned':
      return users.orderBy((eb) => eb.fn.coalesce('a.totalEarned', sql.lit(0)), 'desc').orderBy('r.id', 'desc')
    case 'newest':
      return users.orderBy('r.createdAt', 'desc').orderBy('r.id', 'desc')
  }
}
