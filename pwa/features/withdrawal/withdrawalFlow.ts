/** A withdrawal that the wallet has signed. While its outcome is unknown it is resent unchanged, and no other is signed. */
export interface SignedWithdrawal {
  /** Idempotency key: one per signature, the same on every retry. */
  idempotencyKey: string
  amount: bigint
  fee: bigint
  signature: `0x${string}`
  signedMessage: string
  signerAddress: `0x${string}`
}

type Stage =
  /** Initial state. */
  | { at: 'form' }
  /** Checks whether the account has an authenticator. */
  | { at: 'checking' }
  | { at: 'otpSetup' }
  | { at: 'otpCheck' }
  /** The code was accepted: the next press signs. */
  | { at: 'verified'; isFeeChanged: boolean }
  /** Waiting for the wallet's signature. */
  | { at: 'signing' }
  | { at: 'sending'; signed: SignedWithdrawal }
  /** Sent, but the outcome is unknown: the next press resends it. */
  | { at: 'unanswered'; signed: SignedWithdrawal }

/** The state of a withdrawal. Closing the dialog resets it. */
export type WithdrawalFlow = Stage & {
  /** The user was told once that network or token are missing; later presses do not stop for it. */
  isSetupWarningShown: boolean
}

export type WithdrawalEvent =
  | { type: 'requested' }
  | { type: 'otpChecked'; hasOtp: boolean }
  | { type: 'checkFailed' }
  | { type: 'otpEnabled' }
  /** The dialog of that stage was closed without a result. */
  | { type: 'otpAbandoned'; stage: 'otpSetup' | 'otpCheck' }
  | { type: 'otpVerified' }
  | { type: 'signatureRequested' }
  | { type: 'setupMissing' }
  | { type: 'signatureFailed' }
  | { type: 'signed'; signed: SignedWithdrawal }
  | { type: 'sentAgain' }
  | { type: 'unanswered' }
  /** Nothing was withdrawn; the server gave the reason. */
  | { type: 'refused'; reason: 'otp' | 'noOtp' | 'fee' | 'other' }

export const untouched: WithdrawalFlow = { at: 'form', isSetupWarningShown: false }

/** The specification's withdrawal flow as a state machine. An event that does not apply in the current state changes nothing. */
export function advance(flow: WithdrawalFlow, event: WithdrawalEvent): WithdrawalFlow {
  const { isSetupWarningShown } = flow
  switch (event.type) {
    case 'requested':
      return flow.at === 'form' ? { at: 'checking', isSetupWarningShown } : flow
    case 'otpChecked':
      return flow.at === 'checking' ? { at: event.hasOtp ? 'otpCheck' : 'otpSetup', isSetupWarningShown } : flow
    case 'checkFailed':
      return flow.at === 'checking' ? { at: 'form', isSetupWarningShown } : flow
    case 'otpEnabled':
      return flow.at === 'otpSetup' ? { at: 'otpCheck', isSetupWarningShown } : flow
    case 'otpAbandoned':
      return flow.at === event.stage ? { at: 'form', isSetupWarningShown } : flow
    case 'otpVerified':
      return flow.at === 'otpCheck' ? { at: 'verified', isFeeChanged: false, isSetupWarningShown } : flow
    case 'signatureRequested':
      return flow.at === 'verified' ? { at: 'signing', isSetupWarningShown } : flow
    case 'setupMissing':
      return flow.at === 'signing' ? { at: 'verified', isFeeChanged: false, isSetupWarningShown: true } : flow
    case 'signatureFailed':
      return flow.at === 'signing' ? { at: 'verified', isFeeChanged: false, isSetupWarningShown } : flow
    case 'signed':
      return flow.at === 'signing' ? { at: 'sending', signed: event.signed, isSetupWarningShown } : flow
    case 'sentAgain':
      return flow.at === 'unanswered' ? { at: 'sending', signed: flow.signed, isSetupWarningShown } : flow
    case 'unanswered':
      return flow.at === 'sending' ? { at: 'unanswered', signed: flow.signed, isSetupWarningShown } : flow
    case 'refused':
      if (flow.at !== 'sending') return flow
      if (event.reason === 'otp') return { at: 'otpCheck', isSetupWarningShown }
      if (event.reason === 'noOtp') return { at: 'otpSetup', isSetupWarningShown }
      return { at: 'verified', isFeeChanged: event.reason === 'fee', isSetupWarningShown }
  }
}
