import { create } from 'zustand'
import { MINUTE } from '#shared/dates.ts'

/** How long a verified address waits for its password on the server. */
const VERIFIED_LIFE = 30 * MINUTE

interface SignUpProgress {
  email: string
  /** What comes next: the code was mailed, or it was right. */
  step: 'code' | 'password'
  /** When another code may be mailed, in milliseconds. */
  resendAt: number
  expiresAt: number
}

/** A sign-up that has a code outlives its form: somebody who reads the mail in between comes back to where they were. */
const useProgress = create<{ progress: SignUpProgress | null }>()(() => ({ progress: null }))

export const useSignUpProgress = () =>
  useProgress(({ progress }) => (progress && progress.expiresAt > Date.now() ? progress : null))

export const noteSignUp = (progress: Omit<SignUpProgress, 'expiresAt'>): void =>
  useProgress.setState({ progress: { ...progress, expiresAt: Date.now() + VERIFIED_LIFE } })

export const forgetSignUp = (): void => useProgress.setState({ progress: null })
