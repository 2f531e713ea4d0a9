import { defineEntity } from '@mikro-orm/postgresql'
import { addressColumn, amountColumn, instantColumn } from '#api/platform/db/columns.ts'

/**
 * The USDT of a wallet whose owner looks at the purchase page, read before the press on Purchase. A cache: it only ever lets a request
 * through, which the sweep of uncovered holds checks again. No request is refused because of it.
 */
export const WalletBalanceSchema = defineEntity({
  name: 'WalletBalance',
  tableName: 'wallet_balances',
  properties: {
    wallet: addressColumn().primary(),
    /** Null until it was read. */
    balance: amountColumn().nullable(),
    /** Real time; null until it was read. */
    readAt: instantColumn().nullable(),
    /** When its owner last loaded a reservation. Real time. */
    wantedAt: instantColumn().index(),
  },
})

export class WalletBalance extends WalletBalanceSchema.class {}
WalletBalanceSchema.setClass(WalletBalance)
