import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn } from '#api/platform/db/columns.ts'

/**
 * - users: by sign-up
 * - purchases: everything the back office lists, by creation
 * - sales, bonuses: confirmed paid purchases and granted bonuses, by confirmation; counts nodes too
 * - withdrawals: all withdrawals, by request
 * - withdrawals_counted: withdrawals in the statistics, all except failed ones
 */
export const totalSubjects = ['users', 'purchases', 'sales', 'bonuses', 'withdrawals', 'withdrawals_counted'] as const
export type TotalSubject = (typeof totalSubjects)[number]

/**
 * The number of rows of a subject on one UTC day, with their sums. Triggers add the changes of each statement as separate rows,
 * so that writers never wait for each other. The sum of a day's rows is always correct; a sweep merges them.
 */
export const DailyTotalSchema = defineEntity({
  name: 'DailyTotal',
  tableName: 'daily_totals',
  properties: {
    id: p.bigint('bigint').primary(),
    subject: p.enum(totalSubjects),
    day: p.date(),
    rows: p.bigint('number').default(0),
    nodes: p.bigint('number').default(0),
    amount: amountColumn().default('0'),
  },
  indexes: [{ properties: ['subject', 'day'] }],
})

export class DailyTotal extends DailyTotalSchema.class {}
DailyTotalSchema.setClass(DailyTotal)
