import { z } from 'zod'

/** The password rules of sign-up, with the texts of section 5 of the specification. */
export const signUpPassword = z
  .string()
  .min(8, 'Password must be at least 8 characters')
  .max(256, 'Password must be at most 256 characters')
  .refine(
    (text) => /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text) && /[@$!%*?&]/.test(text),
    'Password must contain uppercase, lowercase, numbers, and special characters',
  )
