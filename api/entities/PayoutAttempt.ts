import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn, hashColumn, idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { Payout } from './Payout.ts'

/** One signed transaction. Written before it is first sent; the same bytes are sent again, never others. */
export const PayoutAttemptSchema = defineEntity({
  name: 'PayoutAttempt',
  tableName: 'payout_attempts',
  properties: {
    id: idColumn(),
    payout: () => p.manyToOne(Payout).ref().index(),
    hash: hashColumn().unique(),
    signedBytes: p.text().$type<`0x${string}`>(),
    /** What the transaction does: pay, or nothing but use the nonce up. */
    kind: p.enum(['pay', 'cancel'] as const),
    /** In the smallest unit of the chain's coin, for each unit of gas. */
    maxFeePerGas: amountColumn(),
    maxPriorityFeePerGas: amountColumn(),
    signedAt: instantColumn(),
    /** When a node last took it. */
    sentAt: instantColumn().nullable(),
  },
})

export class PayoutAttempt extends PayoutAttemptSchema.class {}
PayoutAttemptSchema.setClass(PayoutAttempt)
