import { defineEntity, p } from '@mikro-orm/postgresql'
import { addressColumn, amountColumn, hashColumn, idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { Purchase } from './Purchase.ts'
import { User } from './User.ts'

/**
 * - seen: in a block, not final; or removed from its block again (then without a block)
 * - matched: paid for a purchase
 * - review: waits for an administrator, with a reason
 * - ignored: worthless, kept but not listed; or orphaned with nodes that an administrator leaves frozen
 * - assigned, refunded: closed by an administrator
 * - orphaned: vanished although it was final
 */
export const depositStates = ['seen', 'matched', 'review', 'ignored', 'assigned', 'refunded', 'orphaned'] as const

export const reviewReasons = ['underpaid', 'overpaid', 'late', 'wrong_wallet', 'insufficient_supply', 'unmatched'] as const
export type ReviewReason = (typeof reviewReasons)[number]

/** A transfer of USDT to us, in exactly one state at any time. */
export const DepositSchema = defineEntity({
  name: 'Deposit',
  tableName: 'deposits',
  properties: {
    id: idColumn(),
    chainId: p.integer(),
    transactionHash: hashColumn(),
    /** Its index among the transfers to us in the transaction. */
    ordinal: p.integer(),
    sender: addressColumn().index(),
    recipient: addressColumn(),
    amount: amountColumn(),

    // The position on the chain. A reorganization changes only these columns; all are null while it is in no block.
    blockNumber: p.bigint('bigint').nullable(),
    blockHash: hashColumn().nullable(),
    blockTime: instantColumn().nullable(),
    logIndex: p.integer().nullable(),

    state: p.enum(depositStates).default('seen'),
    reviewReason: p.enum(reviewReasons).nullable(),
    /** The state before it was orphaned, restored when it is mined again. */
    stateBeforeOrphaned: p.enum(depositStates).nullable(),
    /** The purchase it pays, or probably pays while it is only seen. */
    purchase: () => p.manyToOne(Purchase).ref().nullable().index(),
    /**
     * The purchase that it paid for before it vanished, whose nodes an administrator has kept. It pays for no other one while this is set,
     * unless an equal transfer of its sender does so first.
     */
    keptFor: p.uuid().nullable(),
    /** The account that probably sent it. */
    user: () => p.manyToOne(User).ref().nullable(),
    /** The account that had sent it, if it was used for a purchase of another one. */
    takenFrom: p.uuid().nullable(),
    /** So small that it is ignored without a receipt (`isSmall`), but the second reading has not confirmed it: only its receipt does. */
    needsReceipt: p.boolean().default(false),
    /** The product time of its first read, at which the 24 hours until activation begin. */
    firstSeenAt: instantColumn(),
    closedAt: instantColumn().nullable(),
    notes: p.text().nullable(),
    /** The transaction that refunded it. */
    refundHash: hashColumn().nullable(),
    /**
     * The index of the refunding USDT transfer in that transaction; one transfer refunds one deposit. Null for refunds of earlier
     * releases.
     */
    refundOrdinal: p.integer().nullable(),
    /** The refunded amount, at most the deposit's. */
    refundedAmount: amountColumn().nullable(),
  },
  uniques: [{ properties: ['chainId', 'transactionHash', 'ordinal'] }, { properties: ['refundHash', 'refundOrdinal'] }],
  indexes: [
    // For the second reading and the audit, which read a range of blocks.
    { properties: ['blockNumber'] },
    // For the back office's list of all deposits, and its filter by state.
    { properties: ['firstSeenAt', 'id'] },
    { properties: ['state', 'firstSeenAt', 'id'] },
    { name: 'deposits_by_amount', properties: ['amount', 'id'] },
    {
      name: 'deposits_by_reason',
      expression:
        'create index deposits_by_reason on deposits (review_reason, first_seen_at, id) where review_reason is not null',
    },
    {
      name: 'deposits_of_user',
      expression: 'create index deposits_of_user on deposits (user_id, first_seen_at) where user_id is not null',
    },
    { name: 'deposits_waiting', expression: `create index deposits_waiting on deposits (block_number) where state = 'seen'` },
    {
      name: 'deposits_orphaned',
      expression: `create index deposits_orphaned on deposits (block_number) where state_before_orphaned is not null`,
    },
    {
      name: 'deposits_kept',
      expression: 'create index deposits_kept on deposits (kept_for) where kept_for is not null',
    },
    {
      name: 'deposits_taken',
      expression: 'create index deposits_taken on deposits (taken_from) where taken_from is not null',
    },
    { name: 'deposits_in_review', expression: `create index deposits_in_review on deposits (id) where state = 'review'` },
    {
      name: 'deposits_undecided',
      expression: `create index deposits_undecided on deposits (id) where state in ('review', 'orphaned')`,
    },
  ],
})

export class Deposit extends DepositSchema.class {}
DepositSchema.setClass(Deposit)
