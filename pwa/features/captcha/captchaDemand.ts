import { create } from 'zustand'
import { ApiError } from '#shared/contract/client.ts'

interface CaptchaDemand {
  /** Set while a call waits for the verification; called with its result. */
  settle: ((isVerified: boolean) => void) | null
}

export const useCaptchaDemand = create<CaptchaDemand>()(() => ({ settle: null }))

/** Resolves the waiting call; does nothing without one. */
export function settleCaptchaDemand(isVerified: boolean): void {
  useCaptchaDemand.getState().settle?.(isVerified)
  useCaptchaDemand.setState({ settle: null })
}

/** Makes a call, and repeats it after a Human Verification if the server requires one. Rejects if the user declines. */
export async function withCaptcha<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'captcha_required')) throw error
    settleCaptchaDemand(false)
    const isVerified = await new Promise<boolean>((resolve) => useCaptchaDemand.setState({ settle: resolve }))
    if (!isVerified) throw error
    return call()
  }
}
