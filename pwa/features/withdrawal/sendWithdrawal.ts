import { type ApiError, isRefusal, isUnauthorized } from '#shared/contract/client.ts'
import { requestWithdrawal, type Withdrawal } from '#shared/contract/withdrawals.ts'
import { ANSWER_TIMEOUT, api } from '#pwa/lib/api.ts'
import type { SignedWithdrawal } from './withdrawalFlow.ts'

export type SendingOutcome =
  | { type: 'accepted'; withdrawal: Withdrawal }
  /** The server refused: nothing was withdrawn. */
  | { type: 'refused'; error: ApiError }
  /** It may have been accepted: only the same message with the same key may follow. */
  | { type: 'unanswered'; error: unknown }

/** Rate limited, or the first request is still running: neither tells the outcome. */
const openStatuses = new Set([408, 425, 429])

/** @param isResend its outcome was unknown before, and the server tells it only to a session. */
export async function sendWithdrawal(
  { idempotencyKey, amount, signature, ...signed }: SignedWithdrawal,
  { isResend }: { isResend: boolean },
): Promise<SendingOutcome> {
  const { signedMessage, signerAddress } = signed
  try {
    const body = { amount, signature, signedMessage, signerAddress }
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT)
    return { type: 'accepted', withdrawal: await api(requestWithdrawal, { body }, { idempotencyKey, signal }) }
  } catch (error) {
    if (!isRefusal(error)) return { type: 'unanswered', error }
    const isOpen = openStatuses.has(error.status) || error.code === 'request_in_progress'
    return isOpen || (isResend && isUnauthorized(error)) ? { type: 'unanswered', error } : { type: 'refused', error }
  }
}
