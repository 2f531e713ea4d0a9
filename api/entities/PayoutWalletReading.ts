import { defineEntity, p } from '@mikro-orm/postgresql'
import { addressColumn, amountColumn, instantColumn } from '#api/platform/db/columns.ts'

/** What a payout wallet had on the chain, read once a day for the books. Append-only, enforced by the database. */
export const PayoutWalletReadingSchema = defineEntity({
  name: 'PayoutWalletReading',
  tableName: 'payout_wallet_readings',
  properties: {
    wallet: addressColumn().primary(),
    /** The UTC day of the reading, which is the first of that day. */
    day: p.date().primary(),
    /** Real time. */
    at: instantColumn(),
    blockNumber: p.bigint('number'),
    /** XCR. */
    tokens: amountColumn(),
    /** The reward chain's coin, for fees. */
    coins: amountColumn(),
  },
})

export class PayoutWalletReading extends PayoutWalletReadingSchema.class {}
PayoutWalletReadingSchema.setClass(PayoutWalletReading)
