import { z } from 'zod'

/** Authenticator codes and emailed codes are exactly six digits. */
export const CODE_LENGTH = 6

export const oneTimeCode = z.string().regex(/^\d{6}$/, 'Please enter the 6-digit verification code.')

/** Number of recovery codes per account. */
export const RECOVERY_CODE_COUNT = 10

/** Letters and digits that cannot be confused with one another. */
export const RECOVERY_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Parses a recovery code into its display form, `ABCDE-FGHJK`; undefined if invalid. Accepts any case, spaces, and a missing dash. */
export function readRecoveryCode(text: string): string | undefined {
  const letters = text.toUpperCase().replaceAll(/[\s-]/g, '')
  if (letters.length !== 10 || !Array.from(letters).every((letter) => RECOVERY_ALPHABET.includes(letter))) return undefined
  return `${letters.slice(0, 5)}-${letters.slice(5)}`
}

/** An authenticator code, or a recovery code in its place. */
export const codeOrRecoveryCode = z
  .string()
  .max(40)
  .refine((text) => oneTimeCode.safeParse(text).success || readRecoveryCode(text) !== undefined, {
    message: 'Please enter the 6-digit verification code.',
  })
