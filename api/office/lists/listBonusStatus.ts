import type { EntityManager } from '@mikro-orm/postgresql'
import type { BonusRow } from '#shared/contract/admin/bonus.ts'
import { query } from '#api/entities/tables.ts'
import { bonusColumns, presentBonus } from '#api/sale/bonus/readDueBonus.ts'
import { readTotal } from '../figures/readTotals.ts'
import type { Page } from './pagedLists.ts'
import { type Paging, presentPaging } from '#api/platform/http/presentPaging.ts'

/** One page of all accounts, sorted by pending bonus, then by nodes, largest first. */
export async function listBonusStatus(em: EntityManager, { limit, offset }: Page): Promise<{ users: BonusRow[] } & Paging> {
  const { rows: totalCount } = await readTotal(em, 'users')
  const wanted = Math.min(limit, totalCount - offset)
  return {
    users: wanted > 0 ? await readPage(em, { offset, wanted, totalCount }) : [],
    ...presentPaging({ totalCount, limit, offset }),
  }
}

/** Reads from the nearer end of the list. */
async function readPage(
  em: EntityManager,
  { offset, wanted, totalCount }: { offset: number; wanted: number; totalCount: number },
): Promise<BonusRow[]> {
  const after = totalCount - offset - wanted
  const isNearEnd = after < offset
  const [down, up] = isNearEnd ? (['asc', 'desc'] as const) : (['desc', 'asc'] as const)
  const rows = await query(em)
    .selectFrom((eb) =>
      eb
        .selectFrom('node_counts')
        .select(['user', 'paid', 'bonus', 'pending'])
        .orderBy('pending', down)
        .orderBy('paid', down)
        .orderBy('user', up)
        .offset(isNearEnd ? after : offset)
        .limit(wanted)
        .as('c'),
    )
    .innerJoin('users as u', 'u.id', 'c.user')
    .select(bonusColumns)
    .orderBy('c.pending', 'desc')
    .orderBy('c.paid', 'desc')
    .orderBy('c.user')
    .execute()
  return rows.map(presentBonus)
}
