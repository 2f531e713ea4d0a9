import { type Challenge, createChallenge, type Solution, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { randomInt } from 'node:crypto'
import { z } from 'zod'
import { MINUTE } from '#shared/dates.ts'
import { deriveKey as deriveOwnKey } from '#api/platform/crypto/deriveKey.ts'

const PUZZLE_LIFETIME = 5 * MINUTE

/** Solving takes about two seconds on a phone; verifying takes a few milliseconds here. */
const DERIVATION_COST = 5_000
const MIN_TRIES = 2_000
const MAX_TRIES = 6_000

const secrets = (encryptionKey: string) => ({
  hmacSignatureSecret: deriveOwnKey(encryptionKey, 'captcha').toString('hex'),
  hmacKeySignatureSecret: deriveOwnKey(encryptionKey, 'captcha-answers').toString('hex'),
})

export interface PuzzleOptions {
  encryptionKey: string
  now: Date
  /** The number of tries that solves it. */
  tries?: number
}

/** Creates a proof of work for the altcha widget. It is signed and not stored. */
export const createPuzzle = ({
  encryptionKey,
  now,
  tries = randomInt(MIN_TRIES, MAX_TRIES),
}: PuzzleOptions): Promise<Challenge> =>
  createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost: DERIVATION_COST,
    counter: tries,
    deriveKey,
    expiresAt: new Date(now.getTime() + PUZZLE_LIFETIME),
    ...secrets(encryptionKey),
  })

/** The widget's result: base64 of JSON. */
const answer = z
  .base64()
  .transform((text, context) => {
    try {
      return JSON.parse(Buffer.from(text, 'base64').toString('utf8')) as unknown
    } catch {
      context.addIssue('is no JSON')
      return z.NEVER
    }
  })
  .pipe(
    z.object({
      challenge: z.looseObject({ parameters: z.looseObject({ expiresAt: z.number() }), signature: z.string().min(1) }),
      solution: z.looseObject({ counter: z.number(), derivedKey: z.string() }),
    }),
  )

/** Returns the signature of the solved puzzle, which identifies it; undefined if the puzzle is foreign, wrong or expired. */
export async function checkPuzzle(token: string, { encryptionKey }: { encryptionKey: string }): Promise<string | undefined> {
  const { data } = answer.safeParse(token)
  if (!data) return undefined
  const { verified } = await verifySolution({
    challenge: data.challenge as unknown as Challenge,
    solution: data.solution as Solution,
    deriveKey,
    ...secrets(encryptionKey),
  })
  return verified ? data.challenge.signature : undefined
}
