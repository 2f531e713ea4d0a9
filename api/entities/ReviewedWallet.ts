import { defineEntity } from '@mikro-orm/postgresql'
import { addressColumn, instantColumn } from '#api/platform/db/columns.ts'

/** A wallet whose payments wait for a person, because the database was restored and no longer knows what was sent back to it. */
export const ReviewedWalletSchema = defineEntity({
  name: 'ReviewedWallet',
  tableName: 'reviewed_wallets',
  properties: {
    address: addressColumn().primary(),
    /** Payments mined until then wait. */
    until: instantColumn(),
  },
})

export class ReviewedWallet extends ReviewedWalletSchema.class {}
ReviewedWalletSchema.setClass(ReviewedWallet)
