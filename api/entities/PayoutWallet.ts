import { defineEntity, p } from '@mikro-orm/postgresql'
import { addressColumn, instantColumn } from '#api/platform/db/columns.ts'

/** A payout wallet. Its row is locked while a nonce is taken. */
export const PayoutWalletSchema = defineEntity({
  name: 'PayoutWallet',
  tableName: 'payout_wallets',
  properties: {
    address: addressColumn().primary(),
    /** The next nonce to sign with, initially the chain's count. */
    nextNonce: p.bigint('number'),
    /** Why payouts are stopped until an operator has reconciled the wallet (money.md 25, 26); null while they are not. */
    stoppedBecause: p.text().nullable(),
    /** When it was last stopped. Withdrawal messages signed earlier are refused, because a restore may have lost their use. */
    stoppedAt: instantColumn().nullable(),
    /** Since when payouts wait because of the cap per hour or day; null while none does. */
    cappedSince: instantColumn().nullable(),
    /** Since when it has too little XCR or too few coins, as the health tab says; null while it has enough. */
    lowSince: instantColumn().nullable(),
  },
})

export class PayoutWallet extends PayoutWalletSchema.class {}
PayoutWalletSchema.setClass(PayoutWallet)
