import type { EntityManager } from '@mikro-orm/postgresql'
import { type Expression, type SqlBool, sql } from 'kysely'
import type { BonusFilter } from '#shared/contract/admin/bonus.ts'
import type { DepositFilter } from '#shared/contract/admin/deposits.ts'
import type { Range, RowSort } from '#shared/contract/admin/filters.ts'
import type { PurchaseFilter, PurchaseKind } from '#shared/contract/admin/purchases.ts'
import type { UserFilter } from '#shared/contract/admin/users.ts'
import type { WithdrawalFilter } from '#shared/contract/admin/withdrawals.ts'
import { NODES_PER_BONUS, PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { query } from '#api/entities/tables.ts'
import { escapeLike } from '#api/platform/db/escapeLike.ts'
import type { ReviewReason } from '#api/entities/Deposit.ts'
import { purchaseConditions, withdrawalConditions } from './pagedLists.ts'

/**
 * The rows of the back office's lists that fulfil a filter: for their pages, their sums and their files, which therefore agree. Unlike the
 * pages of whole lists (decision 13), the cost of these grows with the number of matches (decision 41).
 */

interface Searched extends Range {
  /** A part of the account's email address. */
  email?: string | undefined
}

/** A pattern for the texts that contain one, in lower case. */
export const patternOf = (text: string): string => `%${escapeLike(text.toLowerCase())}%`

type Conditions = (Expression<SqlBool> | false | undefined)[]
const given = (conditions: Conditions) => conditions.filter((condition) => Boolean(condition)) as Expression<SqlBool>[]
const raw = (condition: string) => sql<boolean>`(${sql.raw(condition)})`

/** The accounts whose email address contains a text. */
const accountsLike = (em: EntityManager, text: string) =>
  query(em).selectFrom('users as found').select('found.id').where('found.email', 'like', patternOf(text))

export type WithdrawalMatch = Searched & { status?: WithdrawalFilter | undefined }

/** Withdrawals `r`. */
export const matchWithdrawals = (em: EntityManager, { email, status, from, until, min, max }: WithdrawalMatch) =>
  query(em)
    .selectFrom('withdrawals as r')
    .where((eb) =>
      eb.and(
        given([
          email ? eb('r.user', 'in', accountsLike(em, email)) : undefined,
          status && raw(withdrawalConditions[status]),
          from && eb('r.createdAt', '>=', from),
          until && eb('r.createdAt', '<', until),
          min !== undefined && eb('r.amount', '>=', min),
          max !== undefined && eb('r.amount', '<=', max),
        ]),
      ),
    )

export type PurchaseMatch = Searched & { status?: PurchaseFilter | undefined; kind?: PurchaseKind | undefined }

/** Purchases `r` that were reported or paid. */
export const matchPurchases = (em: EntityManager, { email, status, kind, from, until, min, max }: PurchaseMatch) =>
  query(em)
    .selectFrom('purchases as r')
    .where('r.postedAt', 'is not', null)
    .where((eb) =>
      eb.and(
        given([
          email ? eb('r.user', 'in', accountsLike(em, email)) : undefined,
          status && raw(purchaseConditions[status]),
          kind && eb('r.amount', kind === 'paid' ? '>' : '=', 0n),
          from && eb('r.createdAt', '>=', from),
          until && eb('r.createdAt', '<', until),
          min !== undefined && eb('r.amount', '>=', min),
          max !== undefined && eb('r.amount', '<=', max),
        ]),
      ),
    )

export type DepositMatch = Range & {
  search?: string | undefined
  status?: DepositFilter | undefined
  kind?: ReviewReason | undefined
}

/** The texts that begin with another one, of hexadecimal digits, as a range, which an index finds in any collation. */
const afterAll = (begin: string): string => `${begin}g`

/** Deposits `r`. */
export const matchDeposits = (em: EntityManager, { search = '', status, kind, from, until, min, max }: DepositMatch) =>
  query(em)
    .selectFrom('deposits as r')
    .where((eb) => {
      const text = search.toLowerCase()
      const isHex = /^0x[0-9a-f]*$/.test(text)
      const [begin, end] = [text as `0x${string}`, afterAll(text) as `0x${string}`]
      const found = isHex
        ? eb.or([
            eb.and([eb('r.sender', '>=', begin), eb('r.sender', '<', end)]),
            eb.and([
              eb('r.chainId', '=', PAYMENT_CHAIN_ID),
              eb('r.transactionHash', '>=', begin),
              eb('r.transactionHash', '<', end),
            ]),
          ])
        : eb('r.user', 'in', accountsLike(em, text))
      return eb.and(
        given([
          text !== '' && found,
          status && (status === 'waiting' ? eb('r.state', 'in', ['review', 'orphaned']) : eb('r.state', '=', status)),
          kind && eb('r.reviewReason', '=', kind),
          from && eb('r.firstSeenAt', '>=', from),
          until && eb('r.firstSeenAt', '<', until),
          min !== undefined && eb('r.amount', '>=', min),
          max !== undefined && eb('r.amount', '<=', max),
        ]),
      )
    })

export type UserMatch = Searched & {
  status?: UserFilter | undefined
  /** Real time, at which an account is frozen or not. */
  now: Date
}

/**
 * Accounts `r` with their balance `a`, if they have one, and their nodes `c`. Amounts are the available XCR. PostgreSQL drops the outer
 * joins that a query does not use.
 */
export const matchUsers = (em: EntityManager, { email, status, from, until, min, max, now }: UserMatch) =>
  query(em)
    .selectFrom('users as r')
    .leftJoin('node_counts as c', 'c.user', 'r.id')
    .leftJoin('accounts as a', 'a.id', 'r.id')
    .where((eb) => {
      const nodes = eb('c.paid', '+', eb.ref('c.bonus'))
      const isFrozen = eb.and([eb('r.frozenAt', 'is not', null), eb.or([eb('r.thawsAt', 'is', null), eb('r.thawsAt', '>', now)])])
      const byStatus: Record<UserFilter, Expression<SqlBool>> = {
        frozen: isFrozen,
        with_nodes: eb(nodes, '>', 0),
        without_nodes: eb(nodes, '=', 0),
        without_wallet: eb('r.walletAddress', 'is', null),
      }
      return eb.and(
        given([
          email ? sql<boolean>`${eb.ref('r.email')} like ${patternOf(email)}` : undefined,
          status && byStatus[status],
          from && eb('r.createdAt', '>=', from),
          until && eb('r.createdAt', '<', until),
          min !== undefined && min > 0n && eb('a.balance', '>=', min),
          max !== undefined && eb.or([eb('a.balance', '<=', max), eb('a.balance', 'is', null)]),
        ]),
      )
    })

export interface BonusMatch {
  email?: string | undefined
  status?: BonusFilter | undefined
}

/** The node counts `c` of accounts `u`. */
export const matchBonus = (em: EntityManager, { email, status }: BonusMatch) =>
  query(em)
    .selectFrom('node_counts as c')
    .innerJoin('users as u', 'u.id', 'c.user')
    .where((eb) => {
      const byStatus: Record<BonusFilter, Expression<SqlBool>> = {
        pending: eb('c.pending', '>', 0),
        done: eb.and([eb('c.pending', '=', 0), eb('c.paid', '>=', NODES_PER_BONUS)]),
        not_applicable: eb.and([eb('c.pending', '=', 0), eb('c.paid', '<', NODES_PER_BONUS)]),
      }
      return eb.and(
        given([email ? sql<boolean>`${eb.ref('u.email')} like ${patternOf(email)}` : undefined, status && byStatus[status]]),
      )
    })

/** By which column and in which direction each order sorts; rows with the same value by their ids. */
export const rowOrders = {
  newest: { by: 'createdAt', direction: 'desc' },
  oldest: { by: 'createdAt', direction: 'asc' },
  largest: { by: 'amount', direction: 'desc' },
  smallest: { by: 'amount', direction: 'asc' },
} as const satisfies Record<RowSort, { by: string; direction: 'asc' | 'desc' }>
