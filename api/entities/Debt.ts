import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn, idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'
import { Withdrawal } from './Withdrawal.ts'

/**
 * What a payment has taken beyond the balance of its account: it left the payout wallet, and the database that knew of it is lost. As long
 * as it is open, nothing else is paid to the account.
 */
export const DebtSchema = defineEntity({
  name: 'Debt',
  tableName: 'debts',
  properties: {
    id: idColumn(),
    withdrawal: () => p.oneToOne(Withdrawal).owner().ref().deleteRule('restrict'),
    user: () => p.manyToOne(User).ref(),
    /** Lent by the account of the debts. */
    amount: amountColumn(),
    /** What of it is not paid back. If it is closed all the same, a person has forgiven the rest. */
    owed: amountColumn(),
    /** Real time, as is the other one. */
    openedAt: instantColumn(),
    closedAt: instantColumn().nullable(),
  },
  checks: [{ name: 'debts_owed', expression: 'owed >= 0 and owed <= amount and (owed > 0 or closed_at is not null)' }],
  indexes: [{ name: 'debts_open', expression: 'create index debts_open on debts (user_id) where closed_at is null' }],
})

export class Debt extends DebtSchema.class {}
DebtSchema.setClass(Debt)
