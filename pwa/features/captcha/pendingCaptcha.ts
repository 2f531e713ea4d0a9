import { create } from 'zustand'
import { ApiError } from '#shared/contract/client.ts'

interface PendingCaptcha {
  /** Set while a call waits for the verification; called with its result. */
  settle: ((isVerified: boolean) => void) | null
}

export const usePendingCaptcha = create<PendingCaptcha>()(() => ({ settle: null }))

/** Resolves the waiting call; does nothing without one. */
export function settlePendingCaptcha(isVerified: boolean): void {
  usePendingCaptcha.getState().settle?.(isVerified)
  usePendingCaptcha.setState({ settle: null })
}

/** Makes a call, and repeats it after a Human Verification if the server requires one. Rejects if the user declines. */
export async function withCaptcha<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'captcha_required')) throw error
    settlePendingCaptcha(false)
    const isVerified = await new Promise<boolean>((resolve) => usePendingCaptcha.setState({ settle: resolve }))
    if (!isVerified) throw error
    return call()
  }
}
