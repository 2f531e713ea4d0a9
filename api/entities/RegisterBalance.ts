import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn } from '#api/platform/db/columns.ts'

/** An account's balance as of the register's last books, which its page compares with its own calculation. Replaced with each books entry. */
export const RegisterBalanceSchema = defineEntity({
  name: 'RegisterBalance',
  tableName: 'register_balances',
  properties: {
    userId: p.uuid().primary(),
    balance: amountColumn(),
    /** The part of its debts that is not paid back, forgiven or not. */
    debt: amountColumn(),
  },
})

export class RegisterBalance extends RegisterBalanceSchema.class {}
RegisterBalanceSchema.setClass(RegisterBalance)
