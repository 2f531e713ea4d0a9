import { create } from 'zustand'

interface LoginDoor {
  /** The Human Verification stands before the login. */
  isVerifying: boolean
  /** What that verification passed on. The login stands open as long as it is there. */
  captchaToken: string | null
}

export const useLoginDoor = create<LoginDoor>()(() => ({ isVerifying: false, captchaToken: null }))

/** Log in, wherever it is pressed. */
export const openLogin = (): void => useLoginDoor.setState({ isVerifying: true, captchaToken: null })

export const passVerification = (captchaToken: string): void => useLoginDoor.setState({ isVerifying: false, captchaToken })

/** Closes whatever of it is open, and forgets the token. */
export const closeLogin = (): void => useLoginDoor.setState({ isVerifying: false, captchaToken: null })
