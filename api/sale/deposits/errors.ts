import type { depositStates } from '#api/entities/Deposit.ts'
import { refusal } from '#api/platform/errors.ts'

export const depositUnknown = () => refusal(404, 'not_found', 'There is no such deposit.')
export const depositClosed = (state: (typeof depositStates)[number]) =>
  refusal(
    409,
    'deposit_closed',
    state === 'seen'
      ? 'This deposit is not final yet. It will be processed automatically.'
      : `This deposit is ${state} and can no longer be changed.`,
    { state },
  )
/** It has another state than the one it was shown in, and waits for a decision all the same. */
export const depositChanged = () =>
  refusal(
    409,
    'deposit_changed',
    'This payment has changed since you were shown it. Nothing was decided. Please look at the list again.',
  )
export const nothingToRestore = () =>
  refusal(
    409,
    'nothing_to_restore',
    'This payment paid for no nodes. If its transaction is mined again, it returns to its former state by itself.',
  )
export const purchaseOpen = () =>
  refusal(
    409,
    'purchase_open',
    'This payment is for an open purchase, which the rest of the money would complete. Cancel or reject the purchase first.',
  )
export const refundUnsuitable = (message: string) => refusal(409, 'transaction_foreign', message)
export const refundNotFound = () =>
  refusal(409, 'transaction_not_found', 'This transaction is not on the chain. It may not be mined yet.')
export const refundUsed = () => refusal(409, 'transaction_used', 'This transaction already refunded another deposit.')
export const sendersDiffer = () => refusal(400, 'invalid_request', 'Only deposits from one sender can be processed together.')
