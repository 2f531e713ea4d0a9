import { z } from 'zod'
import { address, transactionHash } from '../wire/address.ts'
import { amount } from '../wire/amount.ts'
import { instant } from '../wire/instant.ts'
import { openEnum } from '../wire/openEnum.ts'
import { endpoint } from './endpoint.ts'
import { isDailyLimit, withdrawalTexts } from '../withdrawalRules.ts'
import { rowId } from './rowId.ts'
import { signedReceipt } from './register.ts'

/**
 * - pending: debited, not signed yet
 * - processing: a transaction that pays it is signed and on its way
 * - completed: paid, and deep enough in the chain
 * - manual_review: on hold, or waits for a person; the XCR stays debited
 * - failed: will never be paid; the XCR is back in the account
 */
export const withdrawalStatuses = ['pending', 'processing', 'completed', 'manual_review', 'failed'] as const
export type WithdrawalStatus = (typeof withdrawalStatuses)[number]

export const withdrawal = z.object({
  id: z.uuid(),
  userEmail: z.string(),
  /** The debited amount, fee included. */
  amount,
  /** Fixed at the request. The wallet receives amount − feeAmount. */
  feeAmount: amount,
  toAddress: address,
  status: openEnum(withdrawalStatuses),
  createdAt: instant,
  /** The transaction that pays it: the latest one sent until one of them is final. */
  transactionHash: transactionHash.nullable(),
  /** In real time: not paid before then, because the account was changed. Only while the status is `manual_review`. */
  heldUntil: instant.nullable(),
  /** Whether a person decides on it, after its hold if it has one. */
  needsReview: z.boolean(),
  /** It waits because payouts are limited for the hour or the day. */
  isCapped: z.boolean(),
  /** Nothing is signed yet, so its owner can cancel it. */
  canCancel: z.boolean(),
  /** It paid more than the balance: the part that is still owed or was forgiven, and when no more was owed, in real time. */
  debt: z.object({ owed: amount, closedAt: instant.nullable() }).optional(),
})
export type Withdrawal = z.output<typeof withdrawal>

/** A practical limit for display; the statement has all of them. */
export const MAX_WITHDRAWALS = 400

/** Newest first, at most `MAX_WITHDRAWALS`. */
export const listWithdrawals = endpoint({
  method: 'GET',
  path: '/api/xcr-withdrawals',
  access: 'user',
  limit: 'none',
  response: z.array(withdrawal),
})

/** Maximum length, for proofs of contract wallets. */
const signature = z.codec(
  z
    .string()
    .max(10_000)
    .regex(/^0x([0-9a-fA-F]{2})+$/),
  z.custom<`0x${string}`>(),
  {
    decode: (text) => text as `0x${string}`,
    encode: (hex) => hex,
  },
)

/**
 * Withdraws to the registered wallet. That wallet must have signed the message of `withdrawalMessage`; each message works once.
 * Uses up the step-up mark.
 */
export const requestWithdrawal = endpoint({
  method: 'POST',
  path: '/api/xcr-withdrawal',
  access: 'user',
  limit: 'withdrawal',
  body: z.object({
    amount,
    signature,
    signedMessage: z.string().max(2_000),
    signerAddress: address,
  }),
  response: withdrawal.extend({ receipt: signedReceipt }),
  status: 201,
  idempotent: true,
  errors: [
    'account_frozen',
    'withdrawal_debt',
    'withdrawal_daily_limit',
    'withdrawal_amount_invalid',
    'insufficient_xcr',
    'wallet_required',
    'otp_not_enabled',
    'otp_required',
    'withdrawal_fee_changed',
    'withdrawal_message_invalid',
    'withdrawal_message_used',
    'chain_unavailable',
    'idempotency_key_reused',
    'request_in_progress',
    'rate_limited',
  ],
})

/** Cancels a withdrawal of the account that is not signed yet. The full amount is refunded. */
export const cancelWithdrawal = endpoint({
  method: 'POST',
  path: '/api/xcr-withdrawals/:id/cancel',
  access: 'user',
  // Not limited: somebody who has the session could use up a limit, so that the owner could not stop a withdrawal.
  limit: 'none',
  params: z.object({ id: rowId }),
  response: withdrawal,
  idempotent: true,
  errors: [
    'not_found',
    'withdrawal_closed',
    'payouts_stopped',
    'chain_unavailable',
    'idempotency_key_reused',
    'request_in_progress',
  ],
})

/** What an account withdraws within 24 hours at most, as its owner chose. */
export const dailyLimit = z.object({
  /** Null: none. */
  limit: amount.nullable(),
  /** The limit minus what was requested within the last 24 hours and not refunded. Null without a limit. */
  left: amount.nullable(),
  /** When more is left, in real time: the oldest of those requests is 24 hours old then. */
  growsAt: instant.nullable(),
  /** A raise or removal that takes effect later, in real time. */
  next: z.object({ limit: amount.nullable(), from: instant }).nullable(),
})
export type DailyLimit = z.output<typeof dailyLimit>

/** What puts an account's withdrawals on hold: its freeze, or a change of its wallet, password or authenticator. */
const holdCauses = ['freeze', 'wallet', 'password', 'authenticator'] as const
export type HoldCause = (typeof holdCauses)[number]

export const getDailyLimit = endpoint({
  method: 'GET',
  path: '/api/xcr-withdrawals/limit',
  access: 'user',
  limit: 'none',
  response: dailyLimit.extend({
    /** In real time: a withdrawal that is requested now is on hold until then. Absent if it is not. */
    heldUntil: instant.optional(),
    /** What began that hold. Absent without one, or if the audit log does not tell. */
    holdCause: z.enum(holdCauses).optional(),
  }),
})

/**
 * Sets or removes the limit. A lower one counts at once, and a planned raise is cancelled; the present limit also cancels it. A higher
 * one or none takes effect after 24 hours, and uses up a step-up mark.
 */
export const changeDailyLimit = endpoint({
  method: 'PATCH',
  path: '/api/xcr-withdrawals/limit',
  access: 'user',
  // Its owner is mailed of each change.
  limit: 'withdrawal',
  body: z.object({ limit: amount.refine(isDailyLimit, withdrawalTexts.limitInvalid).nullable() }),
  response: dailyLimit,
  errors: ['account_frozen', 'otp_required', 'otp_not_enabled', 'rate_limited'],
})
