import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn } from '#api/platform/db/columns.ts'

/**
 * - user: the balance of a user
 * - rewards: the source of daily rewards; negative by the total ever paid
 * - payouts: XCR withdrawn to wallets, whether paid yet or not
 * - fees: withdrawal fees
 * - debts: funds debts, i.e. payments beyond an account's balance; negative by the open and forgiven debts
 */
export const accountKinds = ['user', 'rewards', 'payouts', 'fees', 'debts'] as const

/** A holder of XCR in the ledger. The balance is the sum of its entries, stored so that the row can be locked. */
export const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    /** The user's id, or a fixed id of a house account (`houseAccounts`). A user's row is created with the first movement. */
    id: p.uuid().primary(),
    kind: p.enum(accountKinds),
    balance: amountColumn().default('0'),
    /** The sum of all rewards ever paid to the account, regardless of withdrawals. */
    totalEarned: amountColumn().default('0'),
    mayGoNegative: p.boolean().default(false),
  },
  checks: [
    { name: 'accounts_not_overdrawn', expression: 'balance >= 0 or may_go_negative' },
    { name: 'accounts_earned', expression: 'total_earned >= 0' },
  ],
  indexes: [
    // What all holders own is what the house accounts owe them, without reading every account.
    { name: 'accounts_of_house', expression: `create index accounts_of_house on accounts (id) where kind <> 'user'` },
  ],
  triggers: [
    {
      // Entries reference accounts without a foreign key, so deleting an account would orphan them.
      name: 'accounts_kept',
      timing: 'before',
      events: ['delete'],
      forEach: 'statement',
      body: `raise exception 'accounts are never deleted' using errcode = 'restrict_violation'`,
    },
  ],
})

export class Account extends AccountSchema.class {}
AccountSchema.setClass(Account)
