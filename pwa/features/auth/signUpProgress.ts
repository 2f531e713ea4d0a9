import { create } from 'zustand'
import { MINUTE } from '#shared/dates.ts'

/** How long the server lets a verified address set its password. */
const VERIFIED_LIFETIME = 30 * MINUTE

interface SignUpProgress {
  email: string
  /** The next step: `code` after the email was sent, `password` after the code was verified. */
  step: 'code' | 'password'
  /** When another code may be sent, in milliseconds. */
  resendAt: number
  expiresAt: number
}

/** Outlives the form, so that users who leave to read the email can continue. */
const useProgress = create<{ progress: SignUpProgress | null }>()(() => ({ progress: null }))

export const useSignUpProgress = () =>
  useProgress(({ progress }) => (progress && progress.expiresAt > Date.now() ? progress : null))

export const storeSignUp = (progress: Omit<SignUpProgress, 'expiresAt'>): void =>
  useProgress.setState({ progress: { ...progress, expiresAt: Date.now() + VERIFIED_LIFETIME } })

export const clearSignUp = (): void => useProgress.setState({ progress: null })
