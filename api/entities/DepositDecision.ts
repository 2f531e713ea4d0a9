import { defineEntity, p } from '@mikro-orm/postgresql'
import { addressColumn, amountColumn, hashColumn, instantColumn } from '#api/platform/db/columns.ts'
import { depositStates, reviewReasons } from './Deposit.ts'

/**
 * A deposit as it was after each decision on it, for the public register. Written by a trigger in the decision's transaction, so
 * that no code path can omit it; the deposit itself keeps only its present state. Append-only.
 */
export const DepositDecisionSchema = defineEntity({
  name: 'DepositDecision',
  tableName: 'deposit_decisions',
  properties: {
    /** Rises with each decision on the same deposit. */
    id: p.bigint('number').primary(),
    depositId: p.uuid().index(),
    /** Real time, by the database's clock. */
    decidedAt: instantColumn(),
    transactionHash: hashColumn(),
    ordinal: p.integer(),
    sender: addressColumn(),
    amount: amountColumn(),
    blockNumber: p.bigint('number').nullable(),
    blockTime: instantColumn().nullable(),
    logIndex: p.integer().nullable(),
    /** `seen` only if an earlier decision was undone. */
    state: p.enum(depositStates),
    reviewReason: p.enum(reviewReasons).nullable(),
    stateBeforeOrphaned: p.enum(depositStates).nullable(),
    purchaseId: p.uuid().nullable(),
    userId: p.uuid().nullable(),
    refundHash: hashColumn().nullable(),
    refundOrdinal: p.integer().nullable(),
    refundedAmount: amountColumn().nullable(),
  },
})

export class DepositDecision extends DepositDecisionSchema.class {}
DepositDecisionSchema.setClass(DepositDecision)
