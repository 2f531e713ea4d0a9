import type { EntityManager } from '@mikro-orm/postgresql'
// SQL as text: reads one day from its nearer end, by a lateral join over the daily sums; paging over 1,000,000 rows is measured.
import { sql } from '#api/platform/db/sql.ts'
import { readTotal } from '../figures/readTotals.ts'
import { nearerEnd, opposite } from './nearerEnd.ts'
import { type FoundPage, type Page, type PagedList, type PageIds, pagedLists } from './pagedLists.ts'

/** The number of rows that a filter by status covers. Nobody pages through more, and counting more would cost more. */
const ROWS_COVERED = 10_000

/** A page of the newest rows that fulfil a condition of `pagedLists.ts`, for which the table has an index by status. */
export async function readFilteredPage(
  em: EntityManager,
  { list, condition, limit, offset }: Page & { list: Exclude<PagedList, 'users'>; condition: string },
): Promise<FoundPage> {
  const { table, listed } = pagedLists[list]
  const rows = `from ${table} where ${listed} and ${condition}`
  const [page] = await sql<{ total: number; ids: string[] }>(
    em,
    `select (select count(*)::int from (select ${rows} limit ${ROWS_COVERED + 1}) counted) as total,
       array(select id ${rows} order by created_at desc, id desc offset $1 limit $2) as ids`,
    [offset, Math.max(0, Math.min(limit, ROWS_COVERED - offset))],
  )
  const { total, ids } = page!
  return { ids, totalCount: Math.min(total, ROWS_COVERED), isCut: total > ROWS_COVERED }
}

const columns = { createdAt: 'created_at', amount: 'amount', email: 'email' } as const

/** A page of a whole list in another order, for which the table has an index. The daily totals count the list. */
export async function readSortedPage(
  em: EntityManager,
  { list, by, direction, ...page }: Page & { list: PagedList; by: keyof typeof columns; direction: 'asc' | 'desc' },
): Promise<PageIds> {
  const { rows: totalCount } = await readTotal(em, list)
  const { isReversed, limit, offset } = nearerEnd({ ...page, totalCount })
  const { table, listed } = pagedLists[list]
  const order = isReversed ? opposite[direction] : direction
  const rows = await sql<{ id: string }>(
    em,
    `select id from ${table} where ${listed} order by ${columns[by]} ${order}, id ${order} offset $1 limit $2`,
    [offset, limit],
  )
  const ids = rows.map(({ id }) => id)
  return { ids: isReversed ? ids.toReversed() : ids, totalCount }
}

/** The day that contains the first row of the page. */
interface Place {
  total: string
  day: string | null
  /** The number of rows newer than that day. */
  newer: string
  /** The number of rows of that day. */
  rows: string
}

/**
 * The IDs of one page at any depth of the list. The daily totals show on which day the page begins, and that day is read from its
 * nearer end.
 */
export async function readPage(em: EntityManager, { list, limit, offset }: Page & { list: PagedList }): Promise<PageIds> {
  const [place] = await sql<Place>(
    em,
    `with days as (select day, sum(rows) as rows from daily_totals where subject = $1 group by day having sum(rows) > 0),
       places as (select day, rows, sum(rows) over (order by day desc) - rows as newer from days)
     select (select coalesce(sum(rows), 0) from days) as total, day::text as day, newer, rows
     from (select 1) always left join lateral (select * from places where newer + rows > $2 order by newer limit 1) place on true`,
    [list, offset],
  )
  const { total, day, newer, rows } = place!
  if (day === null) return { ids: [], totalCount: Number(total) }

  const { table, listed } = pagedLists[list]
  const skipped = offset - Number(newer)
  const left = Number(rows) - 1 - skipped
  const found =
    skipped <= left
      ? await sql<{ id: string }>(
          em,
          `select id from ${table} where ${listed} and created_at < ($1::date + 1)::timestamp at time zone 'UTC'
           order by created_at desc, id desc offset $2 limit $3`,
          [day, skipped, limit],
        )
      : await sql<{ id: string }>(
          em,
          `select page.id from (
             select created_at, id from ${table} where ${listed} and created_at >= $1::date::timestamp at time zone 'UTC'
             order by created_at, id offset $2 limit 1
           ) first cross join lateral (
             select id from ${table} where ${listed} and (created_at, id) <= (first.created_at, first.id)
             order by created_at desc, id desc limit $3
           ) page`,
          [day, left, limit],
        )
  return { ids: found.map(({ id }) => id), totalCount: Number(total) }
}
