import { defineEntity, p } from '@mikro-orm/postgresql'
import { addressColumn, amountColumn, hashColumn, idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { Purchase } from './Purchase.ts'
import { User } from './User.ts'

/**
 * - seen: in a block, not final; or taken out of one again (then without a block)
 * - matched: paid for a purchase
 * - review: waits for a person, for the named reason
 * - ignored: worth nothing to anybody, kept and not listed; or orphaned, with nodes that a person leaves frozen
 * - assigned, refunded: a person has dealt with it
 * - orphaned: was final and vanished all the same
 */
export const depositStates = ['seen', 'matched', 'review', 'ignored', 'assigned', 'refunded', 'orphaned'] as const

export const reviewReasons = ['underpaid', 'overpaid', 'late', 'wrong_wallet', 'insufficient_supply', 'unmatched'] as const
export type ReviewReason = (typeof reviewReasons)[number]

/** A transfer of USDT to us. In exactly one state at any time. */
export const DepositSchema = defineEntity({
  name: 'Deposit',
  tableName: 'deposits',
  properties: {
    id: idColumn(),
    chainId: p.integer(),
    transactionHash: hashColumn(),
    /** Its place among the transfers to us in that transaction. */
    ordinal: p.integer(),
    sender: addressColumn().index(),
    recipient: addressColumn(),
    amount: amountColumn(),

    // Where it is on the chain. A reorganisation changes these and nothing else; all null while it is in no block.
    blockNumber: p.bigint('bigint').nullable(),
    blockHash: hashColumn().nullable(),
    blockTime: instantColumn().nullable(),
    logIndex: p.integer().nullable(),

    state: p.enum(depositStates).default('seen'),
    reviewReason: p.enum(reviewReasons).nullable(),
    /** What it was before it was orphaned, and is again when it is mined again. */
    stateBeforeOrphaned: p.enum(depositStates).nullable(),
    /** What it pays, or, while only seen, what it most likely will. */
    purchase: () => p.manyToOne(Purchase).ref().nullable().index(),
    /** The account it most likely comes from. */
    user: () => p.manyToOne(User).ref().nullable(),
    /** Product time at which it was first read; a node's 24 hours begin here. */
    firstSeenAt: instantColumn(),
    closedAt: instantColumn().nullable(),
    notes: p.text().nullable(),
    /** The transaction that gave it back. */
    refundHash: hashColumn().nullable(),
    /** Which transfer of USDT in that transaction; one refunds one deposit. Null for refunds of earlier releases. */
    refundOrdinal: p.integer().nullable(),
    /** What that gave back: no more than was sent. */
    refundedAmount: amountColumn().nullable(),
  },
  uniques: [{ properties: ['chainId', 'transactionHash', 'ordinal'] }, { properties: ['refundHash', 'refundOrdinal'] }],
  indexes: [
    {
      name: 'deposits_of_user',
      expression: 'create index deposits_of_user on deposits (user_id, first_seen_at) where user_id is not null',
    },
    { name: 'deposits_waiting', expression: `create index deposits_waiting on deposits (block_number) where state = 'seen'` },
    {
      name: 'deposits_orphaned',
      expression: `create index deposits_orphaned on deposits (block_number) where state_before_orphaned is not null`,
    },
    { name: 'deposits_in_review', expression: `create index deposits_in_review on deposits (id) where state = 'review'` },
  ],
})

export class Deposit extends DepositSchema.class {}
DepositSchema.setClass(Deposit)
