import type { EntityManager } from '@mikro-orm/postgresql'
import type { SelectQueryBuilder } from 'kysely'
import type {
  PersonDeposit,
  PersonMail,
  PersonNode,
  PersonPurchase,
  PersonWallet,
  UserNote,
} from '#shared/contract/admin/person.ts'
import type { AdminWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { query } from '#api/entities/tables.ts'
import { readAdminPurchases } from '../lists/listAllPurchases.ts'
import { readAdminWithdrawals } from '../lists/listAllWithdrawals.ts'
import type { Page } from '../lists/pagedLists.ts'

export interface PartOf extends Page {
  userId: string
}

/** A page of rows, and the number of all. */
export interface Part<Row> {
  rows: Row[]
  totalCount: number
}

export async function countRows<DB, Table extends keyof DB>(rows: SelectQueryBuilder<DB, Table, {}>): Promise<number> {
  const { count } = await rows
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .$castTo<{ count: number }>()
    .executeTakeFirstOrThrow()
  return count
}

/** Purchases, latest first. A reservation counts once it was reported or paid. */
export async function readPurchases(
  em: EntityManager,
  { userId, limit, offset, confirmations }: PartOf & { confirmations: number },
): Promise<Part<PersonPurchase>> {
  const own = () => query(em).selectFrom('purchases').where('user', '=', userId).where('postedAt', 'is not', null)
  const facts = await own()
    .select(['id', 'unitPrice as unitPriceUsdt', 'wallet', 'confirmedAt'])
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  const purchases = await readAdminPurchases(em, { ids: facts.map(({ id }) => id), confirmations })
  const byId = new Map(facts.map(({ id, ...rest }) => [id, rest]))
  return { rows: purchases.map((purchase) => ({ ...purchase, ...byId.get(purchase.id)! })), totalCount: await countRows(own()) }
}

/** Payments from the account's wallets or for its purchases, latest first. */
export async function readDeposits(em: EntityManager, { userId, limit, offset }: PartOf): Promise<Part<PersonDeposit>> {
  const own = () =>
    query(em)
      .selectFrom('deposits as d')
      .where('d.id', 'in', ({ selectFrom }) =>
        selectFrom('deposits as o')
          .select('o.id')
          .where('o.user', '=', userId)
          .union(
            selectFrom('purchases as p')
              .innerJoin('deposits as paid', 'paid.purchase', 'p.id')
              .select('paid.id')
              .where('p.user', '=', userId),
          ),
      )
  const rows = await own()
    .select(['d.id', 'd.transactionHash', 'd.sender', 'd.amount', 'd.state', 'd.reviewReason', 'd.notes'])
    .select(['d.purchase as purchaseId', 'd.refundHash', 'd.refundedAmount', 'd.firstSeenAt as seenAt'])
    .orderBy('d.firstSeenAt', 'desc')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return {
    rows: rows.map(({ refundHash, refundedAmount, ...row }) => ({
      ...row,
      refund: refundHash && { transactionHash: refundHash, amount: refundedAmount },
    })),
    totalCount: await countRows(own()),
  }
}

/** Nodes, lowest number first. */
export async function readNodes(em: EntityManager, { userId, limit, offset }: PartOf): Promise<Part<PersonNode>> {
  const own = () => query(em).selectFrom('nodes').where('user', '=', userId)
  const rows = await own()
    .select(['number', 'kind', 'purchase as purchaseId', 'allocatedAt', 'activeFrom', 'frozenAt'])
    .orderBy('number')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, totalCount: await countRows(own()) }
}

export async function readWithdrawals(em: EntityManager, { userId, limit, offset }: PartOf): Promise<Part<AdminWithdrawal>> {
  const own = () => query(em).selectFrom('withdrawals').where('user', '=', userId)
  const ids = await own().select('id').orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit).offset(offset).execute()
  const rows = await readAdminWithdrawals(
    em,
    ids.map(({ id }) => id),
  )
  return { rows, totalCount: await countRows(own()) }
}

/** The wallets of the account over time, latest first. */
export async function readWallets(em: EntityManager, { userId, limit, offset }: PartOf): Promise<Part<PersonWallet>> {
  const own = () => query(em).selectFrom('wallet_registrations').where('user', '=', userId)
  const rows = await own()
    .select(['id', 'address', 'registeredAt', 'provenAt', 'removedAt'])
    .orderBy('registeredAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, totalCount: await countRows(own()) }
}

/** Mails to the account's address, latest first. Never their texts: those contain codes and links that only the owner may see. */
export async function readMails(
  em: EntityManager,
  { email, limit, offset }: Page & { email: string },
): Promise<Part<PersonMail>> {
  const own = () => query(em).selectFrom('outgoing_mails').where('to', '=', email)
  const rows = await own()
    .select(['id', 'subject', 'createdAt', 'sentAt', 'attempts', 'lastError'])
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return {
    rows: rows.map((row) => ({ ...row, lastError: row.sentAt ? null : row.lastError })),
    totalCount: await countRows(own()),
  }
}

export async function readNotes(em: EntityManager, { userId, limit, offset }: PartOf): Promise<Part<UserNote>> {
  const own = () => query(em).selectFrom('user_notes').where('userId', '=', userId)
  const rows = await own()
    .select(['id', 'author', 'text', 'createdAt'])
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, totalCount: await countRows(own()) }
}
