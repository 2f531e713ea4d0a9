import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

/**
 * The time that what is recorded late is dated with: its own, or the beginning of the first month that is not archived, because archived
 * months take no entries (decision 47).
 */
export async function findOpenTime(em: EntityManager, time: Date): Promise<Date> {
  const { month } = await query(em)
    .selectFrom('archived_months')
    .select(({ fn }) => fn.max('month').as('month'))
    .executeTakeFirstOrThrow()
  if (!month) return time
  const [year, number] = month.split('-').map(Number) as [number, number]
  const begin = new Date(Date.UTC(year, number))
  return time < begin ? begin : time
}
