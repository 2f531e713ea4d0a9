import type { EntityManager } from '@mikro-orm/postgresql'
import { DAY, midnightOf } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'

export interface Unfinished {
  /** Requested before. */
  openWithdrawals: number
  /** Days without a run included, from the first run on. */
  unpaidDays: number
  /** Of withdrawals requested before: what pays them is entered on the day of the request. */
  openDebts: number
  /** Once they are thawed, the rewards that they missed are entered on the days that they missed. */
  frozenNodes: number
}

/** What may still add entries to the ledger with a date before this day. */
export async function readUnfinished(em: EntityManager, day: string): Promise<Unfinished> {
  const midnight = midnightOf(day)
  const { openWithdrawals } = await query(em)
    .selectFrom('withdrawals')
    .select(({ fn }) => fn.countAll<number>().as('openWithdrawals'))
    .where('status', 'in', ['pending', 'processing', 'manual_review'])
    .where('createdAt', '<', midnight)
    .executeTakeFirstOrThrow()
  const { paidDays, since } = await query(em)
    .selectFrom('reward_runs')
    .select(({ fn }) => [fn.countAll<number>().filterWhere('paidAt', 'is not', null).as('paidDays'), fn.min('day').as('since')])
    .where('day', '<', day)
    .executeTakeFirstOrThrow()
  const unpaidDays = since === null ? 0 : (midnight.getTime() - midnightOf(since).getTime()) / DAY - paidDays
  const { openDebts } = await query(em)
    .selectFrom('debts')
    .innerJoin('withdrawals', 'withdrawals.id', 'debts.withdrawal')
    .select(({ fn }) => fn.countAll<number>().as('openDebts'))
    .where('debts.closedAt', 'is', null)
    .where('withdrawals.createdAt', '<', midnight)
    .executeTakeFirstOrThrow()
  const { frozenNodes } = await query(em)
    .selectFrom('nodes')
    .select(({ fn }) => fn.countAll<number>().as('frozenNodes'))
    .where('frozenAt', '<', midnight)
    .executeTakeFirstOrThrow()
  return { openWithdrawals, unpaidDays, openDebts, frozenNodes }
}
