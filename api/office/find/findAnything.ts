import type { EntityManager } from '@mikro-orm/postgresql'
import type { findAnything as contract, Found } from '#shared/contract/admin/find.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { FOUND_PER_KIND } from '#shared/contract/admin/find.ts'
import { query } from '#api/entities/tables.ts'
import { searchPage } from '../lists/searchPage.ts'
import { findDeposits, findPurchases, findWithdrawals, type Match } from './findRows.ts'
import { type Named, readText } from './readText.ts'

/**
 * Finds accounts, nodes, purchases, payments and withdrawals by what a person has at hand. Each query reads an index, and stops after a few
 * rows.
 */
export async function findAnything(em: EntityManager, text: string): Promise<Output<typeof contract>> {
  const named = readText(text)
  const byKind = [
    await findUsers(em, named),
    await findNodes(em, named),
    await findPurchases(em, named),
    await findWithdrawals(em, named),
    await findDeposits(em, named),
  ]
  return {
    results: byKind.flatMap((found) => found.slice(0, FOUND_PER_KIND)),
    isCut: byKind.some((found) => found.length > FOUND_PER_KIND),
  }
}

async function findUsers(em: EntityManager, { address, ids, email }: Named): Promise<Found[]> {
  const matches: Match[] = []
  if (address) {
    const owners = await query(em)
      .selectFrom('wallet_registrations')
      .select(['user as id', 'removedAt'])
      .where('address', '=', address)
      .orderBy('registeredAt', 'desc')
      .limit(FOUND_PER_KIND + 1)
      .execute()
    matches.push(
      ...owners.map(({ id, removedAt }) => ({ id, matched: removedAt ? ('former_wallet' as const) : ('wallet' as const) })),
    )
  }
  if (ids) {
    const rows = await query(em)
      .selectFrom('users')
      .select('id')
      .where('id', '>=', ids.from)
      .where('id', '<=', ids.to)
      .limit(FOUND_PER_KIND + 1)
      .execute()
    matches.push(...rows.map(({ id }) => ({ id, matched: 'id' as const })))
  }
  if (email) {
    const page = await searchPage(em, { list: 'users', email, limit: FOUND_PER_KIND + 1, offset: 0 })
    matches.push(...page.ids.map((id) => ({ id, matched: 'email' as const })))
  }
  if (matches.length === 0) return []
  const rows = await query(em)
    .selectFrom('users')
    .select(['id', 'email', 'createdAt'])
    .where(
      'id',
      'in',
      matches.map(({ id }) => id),
    )
    .execute()
  const users = new Map(rows.map((row) => [row.id, row]))
  // The first match of an account says most about it: its present wallet before an earlier registration.
  const first = [...new Map(matches.toReversed().map((match) => [match.id, match])).values()].toReversed()
  return first.flatMap(({ id, matched }) => {
    const user = users.get(id)
    return user
      ? [{ kind: 'user', id, matched, userId: id, userEmail: user.email, status: null, amount: null, at: user.createdAt }]
      : []
  })
}

async function findNodes(em: EntityManager, { nodeNumber }: Named): Promise<Found[]> {
  if (nodeNumber === undefined) return []
  const rows = await query(em)
    .selectFrom('nodes as n')
    .innerJoin('users as u', 'u.id', 'n.user')
    .select(['n.number', 'n.allocatedAt as at', 'u.id as userId', 'u.email as userEmail'])
    .where('n.number', '=', nodeNumber)
    .execute()
  return rows.map(({ number, ...row }) => ({
    kind: 'node',
    id: String(number),
    matched: 'number',
    status: null,
    amount: null,
    ...row,
  }))
}
