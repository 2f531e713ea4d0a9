import type { EntityManager } from '@mikro-orm/postgresql'
import { BONUS_ROWS_PER_PAGE, type BonusRow } from '#shared/contract/admin/bonus.ts'
import { sql } from '#api/platform/db/sql.ts'
import { type CountsRow, presentBonus } from '#api/sale/bonus/readDueBonus.ts'
import { readTotal } from '../figures/readTotals.ts'
import { type Paging, presentPaging } from './presentPaging.ts'

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
  return rows.map(presentBonus)
}
