import type { Address } from 'viem'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { parseWithdrawalMessage, withdrawalMessage } from '#shared/withdrawalMessage.ts'
import { isRecentTimestamp } from '#api/accounts/wallets/isRecentTimestamp.ts'
import * as refuse from './errors.ts'

export interface ExpectedMessage {
  host: string
  email: string
  amount: bigint
  /** The fee in force. */
  fee: bigint
  /** The registered wallet. */
  wallet: Address
  /** Real time. */
  now: Date
  /** The same, as `Clock.dueNow`. */
  dueNow: Date
  /**
   * When payouts were last stopped. A message signed earlier may have been used and paid already, without a trace in a restored
   * database.
   */
  stoppedAt?: Date | undefined
}

/**
 * Checks that the message equals the client's message for this withdrawal byte for byte, and that it was signed within the allowed time
 * (money.md 29).
 *
 * @throws 400 `withdrawal_message_invalid`, or 409 `withdrawal_fee_changed` if only the fee differs.
 */
export function checkWithdrawalMessage(
  message: string,
  { host, email, amount, fee, wallet, now, dueNow, stoppedAt }: ExpectedMessage,
): void {
  const signed = parseWithdrawalMessage(message)
  const expected = signed && withdrawalMessage({ ...signed, host, chainId: REWARD_CHAIN_ID, email, amount, address: wallet })
  if (!signed || message !== expected)
    throw refuse.messageInvalid('The signed message does not belong to this withdrawal. Please sign again.')
  // Clients date messages by the server's clock, which may be ahead.
  const signedAt = Date.parse(signed.timestamp) - Math.max(now.getTime() - dueNow.getTime(), 0)
  if (!isRecentTimestamp(signed.timestamp, now) || (stoppedAt && signedAt <= stoppedAt.getTime()))
    throw refuse.messageInvalid('The signed message has expired. Please sign again.')
  if (signed.fee !== fee) throw refuse.feeChanged(fee)
}
