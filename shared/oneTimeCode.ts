import { z } from 'zod'

/** Authenticator codes and mailed codes are exactly six digits. */
export const CODE_LENGTH = 6

export const oneTimeCode = z.string().regex(/^\d{6}$/, 'Please enter the 6-digit verification code.')
