import type { ExpressionBuilder } from 'kysely'
import type { Tables } from '#api/entities/tables.ts'

/** SQL condition: withdrawal `w` was never signed. */
export const hasNoPayout = (eb: ExpressionBuilder<Tables & { w: Tables['withdrawals'] }, 'w'>) =>
  eb.not(eb.exists(eb.selectFrom('payouts as p').select('p.id').whereRef('p.withdrawal', '=', 'w.id')))
