import { create } from 'zustand'
import { ApiError } from '#shared/contract/client.ts'

interface CaptchaDemand {
  /** Set while a call waits for the person to be verified. Answers whether they were. */
  settle: ((isVerified: boolean) => void) | null
}

export const useCaptchaDemand = create<CaptchaDemand>()(() => ({ settle: null }))

/** Ends the waiting. Nothing if no call waits. */
export function settleCaptchaDemand(isVerified: boolean): void {
  useCaptchaDemand.getState().settle?.(isVerified)
  useCaptchaDemand.setState({ settle: null })
}

/** Makes a call, and makes it again after the Human Verification that the server demands for it. Refused, if the person declines. */
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
