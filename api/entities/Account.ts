import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn } from '#api/platform/db/columns.ts'

/**
 * - user: what an account of a person holds
 * - rewards: where daily rewards come from; the only one below zero, by all that was ever paid
 * - payouts: withdrawn and on its way, or gone, to a wallet
 * - fees: withdrawal fees
 * - debts: lends an account what a payment has taken beyond its balance; below zero by what was not paid back
 */
export const accountKinds = ['user', 'rewards', 'payouts', 'fees', 'debts'] as const

/** One holder of XCR in the ledger. Its balance is the sum of its entries, kept as a row so that it can be locked. */
export const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    /** The user's own id; a fixed one for the house (`houseAccounts`). A user has a row from the first movement on. */
    id: p.uuid().primary(),
    kind: p.enum(accountKinds),
    balance: amountColumn().default('0'),
    /** Sum of all rewards ever paid to it, whatever became of them. */
    totalEarned: amountColumn().default('0'),
    mayGoNegative: p.boolean().default(false),
  },
  checks: [
    { name: 'accounts_not_overdrawn', expression: 'balance >= 0 or may_go_negative' },
    { name: 'accounts_earned', expression: 'total_earned >= 0' },
  ],
  triggers: [
    {
      // Entries name accounts without a foreign key: one account that goes would leave them pointing nowhere.
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
