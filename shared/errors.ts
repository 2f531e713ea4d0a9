import { z } from 'zod'
import { objection } from './objections.ts'
import { openEnum } from './wire/openEnum.ts'

/** All error codes of the API. Clients switch on the code, never on the message. */
export const errorCodes = [
  // general
  'internal',
  'invalid_request',
  'unauthenticated',
  'forbidden',
  'cross_site',
  'not_found',
  'method_not_allowed',
  'unsupported_media_type',
  'payload_too_large',
  'rate_limited',
  'busy',
  'idempotency_key_reused',
  'request_in_progress',
  // set-up
  'setup_done',
  'setup_token_required',
  // accounts
  'captcha_required',
  'captcha_failed',
  'invalid_credentials',
  'email_taken',
  'login_expired',
  'ip_not_allowed',
  'email_not_verified',
  'code_cooldown',
  'code_invalid',
  'account_frozen',
  'account_not_frozen',
  'freeze_link_unknown',
  'freeze_link_expired',
  'freeze_link_used',
  'last_owner',
  'invitation_invalid',
  // authenticator
  'otp_required',
  'otp_not_enabled',
  'otp_already_enabled',
  'otp_invalid',
  'otp_locked',
  'otp_setup_expired',
  // passkeys
  'passkey_expired',
  'passkey_invalid',
  'passkey_unknown',
  'passkey_disabled',
  'passkey_taken',
  'passkeys_too_many',
  'passkeys_too_few',
  'proof_required',
  // wallet
  'wallet_required',
  'wallet_unproven',
  'wallet_taken',
  'wallet_proof_invalid',
  'wallet_in_use',
  'chain_unavailable',
  // push messages
  'push_service_unknown',
  'too_many_subscriptions',
  // sale
  'sales_off',
  'sales_not_started',
  'sales_not_configured',
  'insufficient_supply',
  'insufficient_usdt',
  'price_changed',
  'amount_mismatch',
  'too_many_reservations',
  'reservation_conflict',
  'transaction_used',
  'transaction_foreign',
  // decisions of an administrator
  'purchase_closed',
  'purchase_open',
  'deposit_closed',
  'deposit_changed',
  'nothing_to_restore',
  'refund_unknown',
  'transaction_not_found',
  'reason_required',
  'value_changed',
  'objections_hold',
  'bonus_due_changed',
  'vesting_conflict',
  'incident_resolved',
  'proposal_closed',
  'proposal_outdated',
  'own_proposal',
  'too_many_proposals',
  // withdrawals
  'insufficient_xcr',
  'withdrawal_amount_invalid',
  'withdrawal_fee_changed',
  'withdrawal_message_invalid',
  'withdrawal_message_used',
  'withdrawal_closed',
  'withdrawal_debt',
  'withdrawal_daily_limit',
  'payouts_stopped',
] as const

export type ErrorCode = (typeof errorCodes)[number]

export const errorBody = z.object({
  message: z.string(),
  code: openEnum(errorCodes),
  /** Why a field was refused, by its name; `body` for the request as a whole. */
  details: z.record(z.string(), z.string()).optional(),
  /** Everything that speaks against an administrator's decision, each in the words of `message`. Who sets it aside names it. */
  objections: z.array(objection.extend({ message: z.string() })).optional(),
  /** The answer's `X-Request-Id`, by which an operator finds the request in the log. */
  requestId: z.string().optional(),
})
export type ErrorBody = z.output<typeof errorBody>
