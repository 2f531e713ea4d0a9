import type { EntityManager } from '@mikro-orm/postgresql'
import { BONUS_GRANTS_AT_ONCE, BONUS_ROWS_PER_PAGE, type BonusRow } from '#shared/contract/admin/bonus.ts'
import type { Language } from '#shared/languages.ts'
import { NODES_PER_BONUS } from '#shared/sale.ts'
import { sql } from '#api/platform/db/sql.ts'
import { type Paging, presentPaging } from '#api/office/lists/presentPaging.ts'
import { readTotal } from '#api/office/figures/readTotals.ts'

interface CountsRow {
  user_id: string
  email: string
  paid: number
  bonus: number
  pending: number
}

export interface DueBonus extends BonusRow {
  /** Of the account's mails. */
  language: Language
}

/** One page of all accounts, most pending first, then most nodes. */
export async function listBonusStatus(em: EntityManager, { page }: { page: number }): Promise<{ users: BonusRow[] } & Paging> {
  const limit = BONUS_ROWS_PER_PAGE
  const offset = (page - 1) * limit
  const { rows: totalCount } = await readTotal(em, 'users')
  const wanted = Math.min(limit, totalCount - offset)
  return {
    users: wanted > 0 ? await readPage(em, { offset, wanted, totalCount }) : [],
    ...presentPaging({ totalCount, limit, offset }),
  }
}

/** From the nearer end of the list. */
async function readPage(
  em: EntityManager,
  { offset, wanted, totalCount }: { offset: number; wanted: number; totalCount: number },
): Promise<BonusRow[]> {
  const after = totalCount - offset - wanted
  const isNearEnd = after < offset
  const [order, skip] = isNearEnd ? ['pending, paid, user_id desc', after] : ['pending desc, paid desc, user_id', offset]
  const rows = await sql<CountsRow>(
    em,
    `select c.user_id, u.email, c.paid, c.bonus, c.pending
     from (select * from node_counts order by ${order} offset $1 limit $2) c join users u on u.id = c.user_id
     order by c.pending desc, c.paid desc, c.user_id`,
    [skip, wanted],
  )
  return rows.map(presentRow)
}

/** Those who are due a bonus, as many as can be granted at once, most pending first; or those of these accounts who are. */
export async function readDue(em: EntityManager, userIds?: readonly string[]): Promise<DueBonus[]> {
  const rows = await sql<CountsRow & { language: Language }>(
    em,
    `select c.user_id, u.email, u.language, c.paid, c.bonus, c.pending from node_counts c join users u on u.id = c.user_id
     where c.pending > 0 and ($1::uuid[] is null or c.user_id = any($1)) order by c.pending desc, c.paid desc, c.user_id
     limit ${BONUS_GRANTS_AT_ONCE}`,
    [userIds ?? null],
  )
  return rows.map((row) => ({ ...presentRow(row), language: row.language }))
}

const presentRow = ({ user_id, email, paid, bonus, pending }: CountsRow): BonusRow => ({
  userId: user_id,
  userEmail: email,
  userName: email.split('@', 1)[0]!,
  paidNodes: paid,
  bonusEligible: Math.floor(paid / NODES_PER_BONUS),
  bonusReceived: bonus,
  bonusPending: pending,
})
