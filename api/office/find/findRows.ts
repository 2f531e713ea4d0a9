import type { EntityManager } from '@mikro-orm/postgresql'
import { FOUND_PER_KIND, type Found } from '#shared/contract/admin/find.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { query } from '#api/entities/tables.ts'
import type { Named } from './readText.ts'

/** A row, and what the text is of it. */
export interface Match {
  id: string
  matched: Found['matched']
}

/** One more than is shown, to see whether there are more. */
const LIMIT = FOUND_PER_KIND + 1

/** Purchases by their id, or by the transaction that paid them or that a browser reported. */
export async function findPurchases(em: EntityManager, { hash, ids }: Named): Promise<Found[]> {
  const select = () =>
    query(em)
      .selectFrom('purchases as p')
      .innerJoin('users as u', 'u.id', 'p.user')
      .select(['p.id', 'p.status', 'p.amount', 'p.createdAt as at', 'u.id as userId', 'u.email as userEmail'])
      .limit(LIMIT)
  const found = hash
    ? [
        ...label('hash', await select().where('p.transactionHash', '=', hash).execute()),
        ...label('claimed_hash', await select().where('p.claimedHash', '=', hash).execute()),
      ]
    : ids
      ? label('id', await select().where('p.id', '>=', ids.from).where('p.id', '<=', ids.to).execute())
      : []
  return withoutRepeated(found).map((row) => ({ kind: 'purchase', ...row }))
}

/** Withdrawals by their id, by the transfer that paid them, or by any transaction signed for them. */
export async function findWithdrawals(em: EntityManager, { hash, ids }: Named): Promise<Found[]> {
  const select = () =>
    query(em)
      .selectFrom('withdrawals as w')
      .innerJoin('users as u', 'u.id', 'w.user')
      .select(['w.id', 'w.status', 'w.amount', 'w.createdAt as at', 'u.id as userId', 'u.email as userEmail'])
      .limit(LIMIT)
  const found = hash
    ? [
        // The condition on the ordinal is that of the index. Payments that are not final have attempts.
        ...label(
          'hash',
          await select().where('w.transactionHash', '=', hash).where('w.transferOrdinal', 'is not', null).execute(),
        ),
        ...label(
          'hash',
          await select()
            .innerJoin('payouts as p', 'p.withdrawal', 'w.id')
            .innerJoin('payout_attempts as a', 'a.payout', 'p.id')
            .where('a.hash', '=', hash)
            .execute(),
        ),
      ]
    : ids
      ? label('id', await select().where('w.id', '>=', ids.from).where('w.id', '<=', ids.to).execute())
      : []
  return withoutRepeated(found).map((row) => ({ kind: 'withdrawal', ...row }))
}

/** Payments by their id, their transaction, the transaction that refunded them, or their sender. */
export async function findDeposits(em: EntityManager, { hash, address, ids }: Named): Promise<Found[]> {
  const select = () =>
    query(em)
      .selectFrom('deposits as d')
      .leftJoin('users as u', 'u.id', 'd.user')
      .select(['d.id', 'd.state as status', 'd.amount', 'd.firstSeenAt as at', 'u.id as userId', 'u.email as userEmail'])
      .limit(LIMIT)
  const found = hash
    ? [
        ...label(
          'hash',
          await select()
            .where('d.chainId', '=', PAYMENT_CHAIN_ID)
            .where('d.transactionHash', '=', hash)
            .orderBy('d.ordinal')
            .execute(),
        ),
        ...label('refund_hash', await select().where('d.refundHash', '=', hash).execute()),
      ]
    : address
      ? label('sender', await select().where('d.sender', '=', address).execute())
      : ids
        ? label('id', await select().where('d.id', '>=', ids.from).where('d.id', '<=', ids.to).execute())
        : []
  return withoutRepeated(found).map((row) => ({ kind: 'deposit', ...row }))
}

const label = <Row extends object>(matched: Found['matched'], rows: readonly Row[]) => rows.map((row) => ({ ...row, matched }))

/** The first of the rows with the same id. */
const withoutRepeated = <Row extends { id: string }>(rows: readonly Row[]): Row[] =>
  rows.filter(({ id }, at) => rows.findIndex((row) => row.id === id) === at)
