import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

export interface Unfinished {
  /** Requested before. */
  openWithdrawals: number
  unpaidDays: number
  /** Once they are thawed, the rewards that they missed are entered on the days that they missed. */
  frozenNodes: number
}

/** What may still add entries to the ledger with a date before this day. */
export async function readUnfinished(em: EntityManager, day: string): Promise<Unfinished> {
  const midnight = new Date(`${day}T00:00:00Z`)
  const { openWithdrawals } = await query(em)
    .selectFrom('withdrawals')
    .select(({ fn }) => fn.countAll<number>().as('openWithdrawals'))
    .where('status', 'in', ['pending', 'processing', 'manual_review'])
    .where('createdAt', '<', midnight)
    .executeTakeFirstOrThrow()
  const { unpaidDays } = await query(em)
    .selectFrom('reward_runs')
    .select(({ fn }) => fn.countAll<number>().as('unpaidDays'))
    .where('day', '<', day)
    .where('paidAt', 'is', null)
    .executeTakeFirstOrThrow()
  const { frozenNodes } = await query(em)
    .selectFrom('nodes')
    .select(({ fn }) => fn.countAll<number>().as('frozenNodes'))
    .where('frozenAt', '<', midnight)
    .executeTakeFirstOrThrow()
  return { openWithdrawals, unpaidDays, frozenNodes }
}
