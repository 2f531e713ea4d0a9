/** The wallet has not answered in time. It may still do so. */
export class WalletTimeoutError extends Error {
  override name = 'WalletTimeoutError'

  constructor() {
    super('Your wallet has not answered.')
  }
}

/** Rejects after the limit, because some wallets never settle a request. */
export async function withTimeout<Value>(answer: Promise<Value>, milliseconds: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new WalletTimeoutError()), milliseconds)
  })
  try {
    return await Promise.race([answer, limit])
  } finally {
    clearTimeout(timer)
  }
}
