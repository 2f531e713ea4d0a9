import { WalletTimeoutError } from './withTimeout.ts'

/** Error codes of EIP-1193, EIP-3326 and JSON-RPC. */
export const REJECTED = 4001
export const ALREADY_PENDING = -32002
export const UNKNOWN_CHAIN = 4902

/** The code of a wallet's error. MetaMask on phones nests it in `data.originalError` of a -32603; libraries nest it in `cause`. */
export function walletErrorCode(error: unknown): number | undefined {
  const { code, cause, data } = (error ?? {}) as {
    code?: unknown
    cause?: unknown
    data?: { originalError?: { code?: unknown } }
  }
  const original = data?.originalError?.code
  if (typeof original === 'number') return original
  if (typeof code === 'number') return code
  return cause === undefined || cause === error ? undefined : walletErrorCode(cause)
}

/** All messages of an error, for the cases that wallets report only as text. */
export function walletErrorText(error: unknown): string {
  const { message, details, shortMessage, cause, data } = (error ?? {}) as Record<string, unknown>
  const words = [message, details, shortMessage, (data as { message?: unknown } | undefined)?.message]
  const own = words.filter((word) => typeof word === 'string').join(' ')
  return cause && cause !== error ? `${own} ${walletErrorText(cause)}` : own
}

export const isRejection = (error: unknown): boolean =>
  walletErrorCode(error) === REJECTED || /user (rejected|denied)/i.test(walletErrorText(error))

/** A prompt of the wallet is already open; a second request fails too. */
export const isAlreadyPending = (error: unknown): boolean => walletErrorCode(error) === ALREADY_PENDING

/** Why a wallet did not do what it was asked for; `silent` if it has not answered in time. */
export type WalletRefusal = 'rejected' | 'pending' | 'silent' | 'failed'

export function refusalOf(error: unknown): WalletRefusal {
  if (isRejection(error)) return 'rejected'
  if (isAlreadyPending(error)) return 'pending'
  return error instanceof WalletTimeoutError ? 'silent' : 'failed'
}

/** The wallet has no coins for gas. Nothing was sent. */
export const isInsufficientFunds = (error: unknown): boolean => /insufficient funds|exceeds balance/i.test(walletErrorText(error))
