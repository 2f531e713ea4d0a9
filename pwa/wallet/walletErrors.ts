/** Codes of EIP-1193, EIP-3326 and JSON-RPC that wallets answer with. */
export const REJECTED = 4001
export const ALREADY_PENDING = -32002
export const UNKNOWN_CHAIN = 4902

/**
 * The code of a wallet's error. Phones wrap it: MetaMask's puts the true one under `data.originalError` of a -32603,
 * libraries under `cause`.
 */
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

/** Everything an error says, for the few facts that wallets put into words alone. */
export function walletErrorWords(error: unknown): string {
  const { message, details, shortMessage, cause, data } = (error ?? {}) as Record<string, unknown>
  const words = [message, details, shortMessage, (data as { message?: unknown } | undefined)?.message]
  const own = words.filter((word) => typeof word === 'string').join(' ')
  return cause && cause !== error ? `${own} ${walletErrorWords(cause)}` : own
}

export const isRejection = (error: unknown): boolean =>
  walletErrorCode(error) === REJECTED || /user (rejected|denied)/i.test(walletErrorWords(error))

/** The wallet has a question open already. Asking again would not help. */
export const isAlreadyPending = (error: unknown): boolean => walletErrorCode(error) === ALREADY_PENDING

/** The wallet has no coin for the fee. Nothing was sent. */
export const isLackOfFunds = (error: unknown): boolean => /insufficient funds|exceeds balance/i.test(walletErrorWords(error))
