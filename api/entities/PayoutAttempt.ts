import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn, hashColumn, idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { Payout } from './Payout.ts'

/** One signed transaction, stored before it is first sent. Resending always uses the same bytes. */
export const PayoutAttemptSchema = defineEntity({
  name: 'PayoutAttempt',
  tableName: 'payout_attempts',
  properties: {
    id: idColumn(),
    payout: () => p.manyToOne(Payout).ref().index(),
    hash: hashColumn().unique(),
    signedBytes: p.text().$type<`0x${string}`>(),
    /** Whether the transaction pays or only uses up the nonce. */
    kind: p.enum(['pay', 'cancel'] as const),
    /** In wei per unit of gas. */
    maxFeePerGas: amountColumn(),
    maxPriorityFeePerGas: amountColumn(),
    signedAt: instantColumn(),
    /** When a node last accepted it. */
    sentAt: instantColumn().nullable(),
  },
})

export class PayoutAttempt extends PayoutAttemptSchema.class {}
PayoutAttemptSchema.setClass(PayoutAttempt)
