import { defineEntity, p } from '@mikro-orm/postgresql'
import { withdrawalStatuses } from '#shared/contract/withdrawals.ts'
import { addressColumn, amountColumn, hashColumn, idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

/**
 * Why it waits for a person.
 *
 * - above_limit: more than PAYOUT_REVIEW_ABOVE, alone or with what else the account has withdrawn within 24 hours
 * - recent_change: within 24 hours of another wallet, a lost authenticator or a password reset (money.md 17)
 * - foreign_contract: a contract on the payment chain, nothing on the reward chain: whose key opens it there?
 * - unknown_outcome: its nonce is used up on chain and none of its transactions is there
 * - paid_before: the wallet was paid by a transfer that an operator acknowledged as foreign while it was no account's
 */
export const withdrawalReviewReasons = [
  'above_limit',
  'recent_change',
  'foreign_contract',
  'unknown_outcome',
  'paid_before',
] as const
export type WithdrawalReviewReason = (typeof withdrawalReviewReasons)[number]

/** XCR on its way from an account to its wallet. Written with the debit, in one transaction. */
export const WithdrawalSchema = defineEntity({
  name: 'Withdrawal',
  tableName: 'withdrawals',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref(),
    /** Debited when it was asked for. */
    amount: amountColumn(),
    /** Part of the amount; what is left of it is paid out. */
    fee: amountColumn(),
    /** The registered wallet at that time; later changes never touch it. */
    toAddress: addressColumn(),
    status: p.enum(withdrawalStatuses).default('pending'),
    reviewReason: p.enum(withdrawalReviewReasons).nullable(),

    /** SHA-256 of the signed message, in hex: one message works once, whoever sends it. */
    messageHash: p.string().length(64).unique(),
    signedMessage: p.text(),
    signature: p.text(),

    /** What pays it: the latest transaction signed until one of them is final, then that one. */
    transactionHash: hashColumn().nullable(),
    /** Its place among the token's transfers of that transaction, once final: a transfer pays one withdrawal. */
    transferOrdinal: p.integer().nullable(),

    /** Product time; its date is that of all its entries in the ledger. */
    createdAt: instantColumn(),
    /** Real time. */
    requestedAt: instantColumn(),
    completedAt: instantColumn().nullable(),
    /** Set once, with the entry that gives the XCR back. */
    refundedAt: instantColumn().nullable(),
    adminNotes: p.text().nullable(),
  },
  checks: [
    { name: 'withdrawals_net', expression: 'amount > fee and fee >= 0' },
    { name: 'withdrawals_refund', expression: `(status = 'failed') = (refunded_at is not null)` },
    { name: 'withdrawals_completed', expression: `(status = 'completed') = (completed_at is not null)` },
    {
      name: 'withdrawals_paid_by',
      expression: `status <> 'completed' or (transaction_hash is not null and transfer_ordinal is not null)`,
    },
    { name: 'withdrawals_review', expression: `status <> 'manual_review' or review_reason is not null` },
  ],
  indexes: [
    { properties: ['user', 'createdAt'] },
    { properties: ['createdAt', 'id'] },
    {
      name: 'withdrawals_due',
      expression: `create index withdrawals_due on withdrawals (requested_at, id) where status = 'pending'`,
    },
    {
      name: 'withdrawals_one_transfer',
      expression: `create unique index withdrawals_one_transfer on withdrawals (transaction_hash, transfer_ordinal) where transfer_ordinal is not null`,
    },
  ],
})

export class Withdrawal extends WithdrawalSchema.class {}
WithdrawalSchema.setClass(Withdrawal)
