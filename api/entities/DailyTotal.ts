import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn } from '#api/platform/db/columns.ts'

/**
 * - users: by sign-up
 * - purchases: everything the back office lists, by creation
 * - sales, bonuses: confirmed ones that were paid, and that were given, by confirmation; their nodes
 * - withdrawals: all of them, by request
 * - withdrawals_counted: those of the statistics, everything but failed
 */
export const totalSubjects = ['users', 'purchases', 'sales', 'bonuses', 'withdrawals', 'withdrawals_counted'] as const
export type TotalSubject = (typeof totalSubjects)[number]

/**
 * How many rows there are of something on one UTC day, and their sums. Triggers of the tables add what each statement has changed, as
 * rows of their own: nobody waits for anybody. The sum of a day's rows is right at any moment; a sweep makes one row of them.
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
