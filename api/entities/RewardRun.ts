import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn, instantColumn } from '#api/platform/db/columns.ts'

/** The daily run of one day, at 09:00 UTC. Every day has a row, without a gap, from the day of the first node on. */
export const RewardRunSchema = defineEntity({
  name: 'RewardRun',
  tableName: 'reward_runs',
  properties: {
    day: p.date().primary(),
    /** The reward per active node, fixed when the day is closed. */
    rate: amountColumn(),
    /** Real time. Afterwards no node can become active for this day and its rate cannot change. */
    closedAt: instantColumn(),
    /** Real time; null until all accounts are paid, which happens in one transaction. */
    paidAt: instantColumn().nullable(),
    /** Real time; null until the daily summaries have been mailed. */
    digestedAt: instantColumn().nullable(),
    users: p.integer().default(0),
    nodes: p.integer().default(0),
    amount: amountColumn().default('0'),
  },
})

export class RewardRun extends RewardRunSchema.class {}
RewardRunSchema.setClass(RewardRun)
