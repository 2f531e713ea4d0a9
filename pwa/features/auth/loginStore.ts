import { create } from 'zustand'
import { forgetEmail } from './keptEmail.ts'

interface LoginState {
  /** Human Verification is open; the login follows. */
  isVerifying: boolean
  /** The token of the passed verification. The login dialog is open while it is set. */
  captchaToken: string | null
}

export const useLoginStore = create<LoginState>()(() => ({ isVerifying: false, captchaToken: null }))

/** Starts the login from anywhere. */
export const openLogin = (): void => useLoginStore.setState({ isVerifying: true, captchaToken: null })

export const passVerification = (captchaToken: string): void => useLoginStore.setState({ isVerifying: false, captchaToken })

/** Closes the verification or the login and drops the token and the typed address. */
export function closeLogin(): void {
  forgetEmail()
  useLoginStore.setState({ isVerifying: false, captchaToken: null })
}
