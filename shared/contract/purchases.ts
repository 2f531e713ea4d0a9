import { z } from 'zod'
import { address, transactionHash } from '../wire/address.ts'
import { amount } from '../wire/amount.ts'
import { instant } from '../wire/instant.ts'
import { openEnum } from '../wire/openEnum.ts'
import { MAX_NODES_AT_ONCE } from '../sale.ts'
import { endpoint, type Output } from './endpoint.ts'

/** `reserved` is internal: such a row is a reservation and not listed as a purchase. */
export const paymentStatuses = ['reserved', 'pending', 'confirmed', 'cancelled', 'failed', 'manual_review'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

/** The outcome of a purchase; `normal` is success. */
export const purchaseResults = ['normal', 'amount_mismatch', 'wallet_mismatch', 'insufficient_supply', 'late_payment'] as const
export type PurchaseResult = (typeof purchaseResults)[number]

export const purchase = z.object({
  id: z.uuid(),
  user: z.object({ id: z.uuid(), email: z.string() }),
  requestedQuantity: z.int(),
  /** Null until the nodes are allocated. */
  finalQuantity: z.int().nullable(),
  /** Zero means a bonus purchase. */
  purchaseAmountUsdt: amount,
  nodeNumbers: z.array(z.int()),
  transactionHash: transactionHash.nullable(),
  paymentStatus: openEnum(paymentStatuses),
  purchaseResult: openEnum(purchaseResults),
  /**
   * Present if an administrator confirmed it although the chain did not show its payment, or only another account has proven the wallet
   * that paid. The transaction may not exist, unless a payment was seen.
   */
  confirmedAgainstChain: z.literal(true).optional(),
  adminNotes: z.string().nullable(),
  createdAt: instant,
  /** Confirmations of the payment; null while none was seen. */
  payment: z
    .object({
      confirmations: z.int(),
      confirmationsNeeded: z.int(),
      /** Sum of the transfers attached so far. */
      received: amount,
    })
    .nullable(),
})
export type Purchase = z.output<typeof purchase>

export const listPurchases = endpoint({
  method: 'GET',
  path: '/api/node-purchases',
  access: 'user',
  limit: 'none',
  response: z.array(purchase),
})

/** `arriving`: not settled yet. `waiting`: in review. `credited`: it has paid for a purchase. */
export const paymentStates = ['arriving', 'credited', 'waiting', 'refunded', 'ignored'] as const

/** The latest payments from an account's wallets or for its purchases, with their outcome. */
export const listPayments = endpoint({
  method: 'GET',
  path: '/api/payments',
  access: 'user',
  limit: 'none',
  response: z.array(
    z.object({
      id: z.uuid(),
      transactionHash,
      sender: address,
      amount,
      state: z.enum(paymentStates),
      purchaseId: z.uuid().nullable(),
      /** It was used for a purchase of another account. */
      isForAnother: z.boolean().optional(),
      /** The refunded amount and its transaction, and why less than the payment came back. */
      refund: z.object({ transactionHash, amount: amount.nullable(), reason: z.string().optional() }).nullable(),
      seenAt: instant,
    }),
  ),
})
export type Payment = Output<typeof listPayments>[number]

export const reservation = z.object({
  id: z.uuid(),
  requestedQuantity: z.int(),
  unitPriceUsdt: amount,
  purchaseAmountUsdt: amount,
  depositAddress: address,
  /** The wallet that must pay, fixed by the reservation. */
  walletAddress: address,
  expiresAt: instant,
})
export type Reservation = z.output<typeof reservation>

export const quantity = z.int('Please enter a quantity.').min(1, 'Please enter a quantity.').max(MAX_NODES_AT_ONCE)

const purchaseRefusals = [
  'sales_off',
  'sales_not_started',
  'sales_not_configured',
  'insufficient_supply',
  'insufficient_usdt',
  'chain_unavailable',
  'wallet_required',
  'wallet_unproven',
  'otp_not_enabled',
  'otp_required',
  'too_many_reservations',
  'idempotency_key_reused',
  'request_in_progress',
  'rate_limited',
] as const

/** Holds supply and fixes price, wallet and deposit address for 30 minutes. Uses up the step-up mark. */
export const createReservation = endpoint({
  method: 'POST',
  path: '/api/node-purchase/reservation',
  access: 'user',
  limit: 'purchase',
  body: z.object({ requestedQuantity: quantity }),
  response: reservation,
  status: 201,
  idempotent: true,
  errors: purchaseRefusals,
})

export const getReservation = endpoint({
  method: 'GET',
  path: '/api/node-purchase/reservation',
  access: 'user',
  limit: 'none',
  response: reservation.nullable(),
})

export const releaseReservation = endpoint({
  method: 'DELETE',
  path: '/api/node-purchase/reservation',
  access: 'user',
  limit: 'none',
  response: z.object({ message: z.string() }),
  idempotent: true,
})

/**
 * Turns the caller's reservation into a pending purchase; without one, creates a new pending purchase. The two fields in the
 * specification suffice: the watcher finds the transfer by itself, and the hash only speeds it up.
 */
export const createPurchase = endpoint({
  method: 'POST',
  path: '/api/node-purchase',
  access: 'user',
  limit: 'purchase',
  body: z.object({
    requestedQuantity: quantity,
    purchaseAmountUsdt: amount,
    transactionHash: transactionHash.optional(),
  }),
  response: purchase,
  status: 201,
  idempotent: true,
  // A payment is never refused for the form of its report.
  unknownFields: 'warned',
  errors: [...purchaseRefusals, 'price_changed', 'amount_mismatch', 'transaction_used', 'transaction_foreign'],
})
