import { z } from 'zod'
import { address } from '../../wire/address.ts'
import { amount } from '../../wire/amount.ts'
import { instant } from '../../wire/instant.ts'
import { endpoint, everyRole } from '../endpoint.ts'
import { formatField } from './filters.ts'

/** YYYY-MM. */
export const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'Please enter a month as YYYY-MM.')

const usdt = z.object({ count: z.int(), usdt: amount })
const xcr = z.object({ count: z.int(), xcr: amount })
/** Read from the chain once a day, in real time. */
const reading = z.object({ at: instant, blockNumber: z.int(), tokens: amount, coins: amount })

/**
 * The figures of one month of UTC, in product time. Those of the ledger go by the date of an entry, which is that of its cause: a
 * withdrawal's fee or refund belongs to the month of the request.
 */
export const getMonth = endpoint({
  method: 'GET',
  path: '/api/admin/books/month',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  query: z.object({ month }),
  response: z.object({
    month: z.string(),
    /** The month is over, no withdrawal requested until then is open, all its days are rewarded, and no node of that time is frozen. */
    isFinal: z.boolean(),
    /** The month was over before this installation was set up. */
    isBeforeSetup: z.boolean().optional(),
    /** Withdrawals requested until the end of the month that are still open. */
    openWithdrawals: z.int(),
    /** Paid purchases, by confirmation, as the totals of the days say. */
    sold: usdt.extend({ nodes: z.int() }),
    bonusNodes: z.int(),
    /** Deposits on the chain, by the time of their first read, and what became of them. */
    received: usdt.extend({ used: amount, inReview: amount, ignored: amount, returned: amount }),
    /** Refunds of deposits, by the time at which they were recorded. */
    refunded: usdt,
    /** What holders own: at the beginning and end of the month, and what changed it. */
    owed: z.object({
      opening: amount,
      rewarded: amount,
      requested: amount,
      refunded: amount,
      /** Payments beyond a balance, and what was repaid of them. */
      debts: amount,
      debtsPaid: amount,
      closing: amount,
    }),
    /** Completed withdrawals without their fees, by completion. */
    paid: xcr,
    /** Fees of completed withdrawals requested in the month. */
    fees: amount,
    /** What the payout wallets sent, by the time at which it was final. */
    hotWallet: z.object({
      withdrawals: xcr,
      sweeps: xcr,
      /** What each payout wallet had on the chain: the first reading of the month, and that of the day after it, or else the last. */
      balances: z.array(z.object({ wallet: address, opening: reading.nullable(), closing: reading.nullable() })),
    }),
    /** The last audit; null before the first. */
    audit: z.object({ at: instant, differences: z.array(z.string()), unchecked: z.array(z.string()) }).nullable(),
  }),
})
export type Month = z.output<typeof getMonth.response>

const ofMonth = z.object({ month: month.optional(), ...formatField })

/** All entries of the ledger, or those of a month. */
export const exportLedger = endpoint({
  method: 'GET',
  path: '/api/admin/books/ledger',
  access: 'admin',
  roles: ['finance'],
  limit: 'export',
  query: ofMonth,
  response: z.never(),
})

/** All daily rewards and corrections, or those of a month. */
export const exportRewards = endpoint({
  method: 'GET',
  path: '/api/admin/books/rewards',
  access: 'admin',
  roles: ['finance'],
  limit: 'export',
  query: ofMonth,
  response: z.never(),
})

/** All payouts, or those signed in a month. */
export const exportPayouts = endpoint({
  method: 'GET',
  path: '/api/admin/books/payouts',
  access: 'admin',
  roles: ['finance'],
  limit: 'export',
  query: ofMonth,
  response: z.never(),
})
