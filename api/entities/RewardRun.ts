import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn, instantColumn } from '#api/platform/db/columns.ts'

/** One day's 09:00 UTC. Every day has a row, empty ones too, from the day of the first node on, without a gap. */
export const RewardRunSchema = defineEntity({
  name: 'RewardRun',
  tableName: 'reward_runs',
  properties: {
    day: p.date().primary(),
    /** What each active node earns; frozen when the day is closed. */
    rate: amountColumn(),
    /** Real time. From here on nothing can become active for this day, nor change its rate. */
    closedAt: instantColumn(),
    /** Real time; null until everybody is paid, which happens in one transaction. */
    paidAt: instantColumn().nullable(),
    /** Real time; null until those who asked for it have been mailed. */
    digestedAt: instantColumn().nullable(),
    users: p.integer().default(0),
    nodes: p.integer().default(0),
    amount: amountColumn().default('0'),
  },
})

export class RewardRun extends RewardRunSchema.class {}
RewardRunSchema.setClass(RewardRun)
