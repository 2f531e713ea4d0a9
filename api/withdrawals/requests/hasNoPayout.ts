import type { ExpressionBuilder } from 'kysely'
import type { Tables } from '#api/entities/tables.ts'

/** Whether nothing was ever signed for a withdrawal `w`. */
export const hasNoPayout = (eb: ExpressionBuilder<Tables & { w: Tables['withdrawals'] }, 'w'>) =>
  eb.not(eb.exists(eb.selectFrom('payouts as p').select('p.id').whereRef('p.withdrawal', '=', 'w.id')))
