import { z } from 'zod'
import { oneTimeCode } from '../../oneTimeCode.ts'
import { passkeyAnswer } from '../passkeys.ts'
import { note } from './note.ts'

/** How the answer of a passkey can be refused. */
export const refusedAnswers = ['passkey_expired', 'passkey_invalid', 'passkey_unknown', 'passkey_disabled'] as const

/** Confirms what gives access: with what the login asks for after the password, or the password where it asks for nothing else. */
export const adminProof = z.object({
  token: oneTimeCode.optional(),
  passkey: passkeyAnswer.optional(),
  password: z.string().min(1).max(256).optional(),
})

/** What a decision takes besides its own fields: the proof, asked from administrators who decide it alone, and its reason. */
export const decisionBody = adminProof.extend({ reason: note.optional() })

/** A body without what confirmed it, and without what it `replaces`: a proposal keeps what was found. */
export const withoutProof = (body: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'replaces' && !Object.hasOwn(adminProof.shape, name)))

export const refusedProofs = [
  'proof_required',
  'otp_invalid',
  'otp_locked',
  'invalid_credentials',
  'rate_limited',
  'busy',
  ...refusedAnswers,
] as const
