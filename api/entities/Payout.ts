import { defineEntity, p } from '@mikro-orm/postgresql'
import { addressColumn, amountColumn, hashColumn, idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { PayoutWallet } from './PayoutWallet.ts'
import { Withdrawal } from './Withdrawal.ts'

/**
 * - sent: signed, so it may be on the chain; not final
 * - paid, reverted, cancelled: final on the chain
 * - lost: its nonce is used and none of its transactions is on the chain; an operator decides
 */
export const payoutStates = ['sent', 'paid', 'reverted', 'cancelled', 'lost'] as const
export type PayoutState = (typeof payoutStates)[number]

/** One nonce of the payout wallet and its permanent purpose. The transactions signed for it are its attempts. */
export const PayoutSchema = defineEntity({
  name: 'Payout',
  tableName: 'payouts',
  properties: {
    id: idColumn(),
    wallet: () => p.manyToOne(PayoutWallet).ref(),
    nonce: p.bigint('number'),
    /** `withdrawal:<id>` or `sweep:<date>`: one cause takes one nonce. */
    cause: p.text().unique(),
    /** Null for a sweep. */
    withdrawal: () => p.oneToOne(Withdrawal).owner().ref().nullable().deleteRule('restrict'),
    recipient: addressColumn(),
    amount: amountColumn(),
    state: p.enum(payoutStates).default('sent'),
    /** Set when an administrator rejects it: a zero-value transaction to our own address will use its nonce (money.md 24). */
    cancelRequestedAt: instantColumn().nullable(),
    /** The final transaction. */
    finalHash: hashColumn().nullable(),
    signedAt: instantColumn(),
    settledAt: instantColumn().nullable(),
  },
  uniques: [{ properties: ['wallet', 'nonce'] }],
  checks: [{ name: 'payouts_settled', expression: `(state = 'sent') = (settled_at is null)` }],
  indexes: [
    { properties: ['signedAt'] },
    // For the report of a month.
    { name: 'payouts_settled', expression: `create index payouts_settled on payouts (settled_at) where state = 'paid'` },
    { name: 'payouts_open', expression: `create index payouts_open on payouts (wallet_address, nonce) where state = 'sent'` },
  ],
})

export class Payout extends PayoutSchema.class {}
PayoutSchema.setClass(Payout)
