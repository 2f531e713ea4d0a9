import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn, idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'
import { Withdrawal } from './Withdrawal.ts'

/**
 * The part of a payment that exceeds its account's balance, after the database lost the payment's records. While it is open, the
 * account is paid nothing else.
 */
export const DebtSchema = defineEntity({
  name: 'Debt',
  tableName: 'debts',
  properties: {
    id: idColumn(),
    withdrawal: () => p.oneToOne(Withdrawal).owner().ref().deleteRule('restrict'),
    user: () => p.manyToOne(User).ref(),
    /** The amount credited from the house account `debts`. */
    amount: amountColumn(),
    /** The unpaid part. If the debt is closed with an unpaid part, an operator has forgiven it. */
    owed: amountColumn(),
    /** Both times are real time. */
    openedAt: instantColumn(),
    closedAt: instantColumn().nullable(),
  },
  checks: [{ name: 'debts_owed', expression: 'owed >= 0 and owed <= amount and (owed > 0 or closed_at is not null)' }],
  indexes: [{ name: 'debts_open', expression: 'create index debts_open on debts (user_id) where closed_at is null' }],
})

export class Debt extends DebtSchema.class {}
DebtSchema.setClass(Debt)
