import { create } from 'zustand'
import { MINUTE } from '#shared/dates.ts'
import { readFromTab, storeInTab } from '#pwa/lib/deviceStorage.ts'

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

const STORAGE_KEY = 'sign_up'

/** Outlives the form and the page: phones discard a tab whose user has left to read the email. */
const useProgress = create<{ progress: SignUpProgress | null }>()(() => ({ progress: readProgress() }))

export const useSignUpProgress = () =>
  useProgress(({ progress }) => (progress && progress.expiresAt > Date.now() ? progress : null))

export const storeSignUp = (progress: Omit<SignUpProgress, 'expiresAt'>): void =>
  set({ ...progress, expiresAt: Date.now() + VERIFIED_LIFETIME })

export const clearSignUp = (): void => set(null)

function set(progress: SignUpProgress | null): void {
  useProgress.setState({ progress })
  storeInTab(STORAGE_KEY, progress && JSON.stringify(progress))
}

function readProgress(): SignUpProgress | null {
  try {
    return JSON.parse(readFromTab(STORAGE_KEY) ?? 'null') as SignUpProgress | null
  } catch {
    return null
  }
}
