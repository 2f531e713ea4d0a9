import { defineEntity, p } from '@mikro-orm/postgresql'
import { withdrawalStatuses } from '#shared/contract/withdrawals.ts'
import { addressColumn, amountColumn, hashColumn, idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

/**
 * Why a withdrawal needs review.
 *
 * - above_limit: more than PAYOUT_REVIEW_ABOVE, alone or together with other withdrawals of the account within 24 hours
 * - recent_change: within 24 hours of a wallet change, a lost authenticator or a password reset (money.md 17). The clock releases it
 *   at `heldUntil`, unless that is null (withdrawals from before holds).
 * - foreign_contract: a contract on the payment chain and none on the reward chain, so its controller there is unknown
 * - unknown_outcome: its nonce is used on the chain and none of its transactions is there
 * - paid_before: an operator acknowledged a transfer to the wallet as foreign while no account owned it
 */
export const withdrawalReviewReasons = [
  'above_limit',
  'recent_change',
  'foreign_contract',
  'unknown_outcome',
  'paid_before',
] as const
export type WithdrawalReviewReason = (typeof withdrawalReviewReasons)[number]

/** A withdrawal of XCR to the account's wallet. Written together with its debit in one transaction. */
export const WithdrawalSchema = defineEntity({
  name: 'Withdrawal',
  tableName: 'withdrawals',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref(),
    /** The gross amount, debited at the request. */
    amount: amountColumn(),
    /** Part of the amount; the rest is paid out. */
    fee: amountColumn(),
    /** The registered wallet at the time of the request; later changes do not affect it. */
    toAddress: addressColumn(),
    status: p.enum(withdrawalStatuses).default('pending'),
    reviewReason: p.enum(withdrawalReviewReasons).nullable(),

    /** SHA-256 of the signed message, in hex. Unique, so that a message works once. */
    messageHash: p.string().length(64).unique(),
    signedMessage: p.text(),
    signature: p.text(),

    /** The paying transaction: the latest signed one until one is final, then that one. */
    transactionHash: hashColumn().nullable(),
    /** The transfer's index among the token's transfers of that transaction, once final. One transfer pays one withdrawal. */
    transferOrdinal: p.integer().nullable(),

    /** Product time; all its ledger entries have this date. */
    createdAt: instantColumn(),
    /** Real time. */
    requestedAt: instantColumn(),
    /** Product time. */
    completedAt: instantColumn().nullable(),
    /** Product time. Set once, with the ledger entry of the refund. */
    refundedAt: instantColumn().nullable(),
    adminNotes: p.text().nullable(),
    /**
     * The withdrawal is on hold until then, in real time, because the account was changed (money.md 17). Kept after the release, because
     * limits count the withdrawal from that time on; null if an administrator approved it earlier.
     */
    heldUntil: instantColumn().nullable(),
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
    // For the back office's filter by status.
    { properties: ['status', 'createdAt', 'id'] },
    // For the back office's order by amount.
    { name: 'withdrawals_by_amount', properties: ['amount', 'id'] },
    // For the report of a month.
    {
      name: 'withdrawals_completed',
      expression: `create index withdrawals_completed on withdrawals (completed_at) include (amount, fee) where status = 'completed'`,
    },
    {
      name: 'withdrawals_due',
      expression: `create index withdrawals_due on withdrawals (requested_at, id) where status = 'pending'`,
    },
    {
      name: 'withdrawals_held',
      expression: `create index withdrawals_held on withdrawals (held_until) where status = 'manual_review' and review_reason = 'recent_change'`,
    },
    {
      name: 'withdrawals_one_transfer',
      expression: `create unique index withdrawals_one_transfer on withdrawals (transaction_hash, transfer_ordinal) where transfer_ordinal is not null`,
    },
  ],
})

export class Withdrawal extends WithdrawalSchema.class {}
WithdrawalSchema.setClass(Withdrawal)
