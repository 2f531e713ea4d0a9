import { expect, test } from 'vitest'
import { amountOf, someUser } from '#pwa/testing/answers.ts'
import { advance, type SignedWithdrawal, untouched, type WithdrawalEvent, type WithdrawalFlow } from './withdrawalFlow.ts'

const signed: SignedWithdrawal = {
  idempotencyKey: 'key',
  amount: amountOf('3000'),
  fee: amountOf('5'),
  signature: '0x1234',
  signedMessage: 'message',
  signerAddress: someUser().walletAddress!,
}
const verified: WithdrawalEvent[] = [{ type: 'requested' }, { type: 'otpChecked', hasOtp: true }, { type: 'otpVerified' }]
const sending: WithdrawalEvent[] = [...verified, { type: 'signatureRequested' }, { type: 'signed', signed }]

const after = (...events: WithdrawalEvent[]): WithdrawalFlow => events.reduce(advance, untouched)

test('a withdrawal goes from the code to the signature and to the server', () => {
  expect(after({ type: 'requested' }).at).toBe('checking')
  expect(after({ type: 'requested' }, { type: 'otpChecked', hasOtp: true }).at).toBe('otpCheck')
  expect(after(...verified).at).toBe('verified')
  expect(after(...verified, { type: 'signatureRequested' }).at).toBe('signing')
  expect(after(...sending)).toMatchObject({ at: 'sending', signed })
})

test('without an authenticator it is set up first, then its code is asked for', () => {
  const setUp = after({ type: 'requested' }, { type: 'otpChecked', hasOtp: false })
  expect(setUp.at).toBe('otpSetup')
  expect(advance(setUp, { type: 'otpEnabled' }).at).toBe('otpCheck')
  expect(advance(setUp, { type: 'otpAbandoned', stage: 'otpSetup' }).at).toBe('form')
})

test('a withdrawal with an unknown outcome is resent as signed, and no other can be signed', () => {
  const unanswered = after(...sending, { type: 'unanswered' })
  expect(unanswered).toMatchObject({ at: 'unanswered', signed })
  expect(advance(unanswered, { type: 'signatureRequested' })).toBe(unanswered)
  expect(advance(unanswered, { type: 'requested' })).toBe(unanswered)
  expect(advance(unanswered, { type: 'sentAgain' })).toMatchObject({ at: 'sending', signed })
})

test('a refusal leads back to the step that can fix it', () => {
  const refused = (reason: 'otp' | 'noOtp' | 'fee' | 'other') => after(...sending, { type: 'refused', reason })
  expect(refused('otp').at).toBe('otpCheck')
  expect(refused('noOtp').at).toBe('otpSetup')
  expect(refused('fee')).toMatchObject({ at: 'verified', isFeeChanged: true })
  expect(refused('other')).toMatchObject({ at: 'verified', isFeeChanged: false })
})

test('missing network and token are reported once, also if a new code is asked for in between', () => {
  const warned = after(...verified, { type: 'signatureRequested' }, { type: 'setupMissing' })
  expect(warned).toMatchObject({ at: 'verified', isSetupWarningShown: true })
  const events: WithdrawalEvent[] = [
    { type: 'signatureRequested' },
    { type: 'signed', signed },
    { type: 'refused', reason: 'otp' },
  ]
  expect(events.reduce(advance, warned).isSetupWarningShown).toBe(true)
})

test('an event that does not apply changes nothing', () => {
  const events: WithdrawalEvent[] = [
    { type: 'otpVerified' },
    { type: 'signatureRequested' },
    { type: 'signed', signed },
    { type: 'sentAgain' },
    { type: 'unanswered' },
    { type: 'refused', reason: 'otp' },
    { type: 'otpAbandoned', stage: 'otpCheck' },
  ]
  for (const event of events) expect(advance(untouched, event)).toBe(untouched)
})

test('leaving the code dialog after an accepted code keeps its result', () => {
  const done = after(...verified)
  expect(advance(done, { type: 'otpAbandoned', stage: 'otpCheck' })).toBe(done)
})
