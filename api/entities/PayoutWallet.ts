import { defineEntity, p } from '@mikro-orm/postgresql'
import { addressColumn, instantColumn } from '#api/platform/db/columns.ts'

/** A wallet that pays out. Its row is locked by whoever takes a nonce. */
export const PayoutWalletSchema = defineEntity({
  name: 'PayoutWallet',
  tableName: 'payout_wallets',
  properties: {
    address: addressColumn().primary(),
    /** The next nonce to sign with; begins at the chain's count. */
    nextNonce: p.bigint('number'),
    /** Why nothing is signed any more until an operator has reconciled it (money.md 25, 26); null while all is well. */
    stoppedBecause: p.text().nullable(),
    /** When it was last stopped: withdrawal messages signed before are refused, because a restore may have lost that they were used. */
    stoppedAt: instantColumn().nullable(),
  },
})

export class PayoutWallet extends PayoutWalletSchema.class {}
PayoutWalletSchema.setClass(PayoutWallet)
