import { z } from 'zod'

/** The special characters of which a password needs one: at sign-up, and if it is changed or reset. The specification lists both. */
export const SIGN_UP_SIGNS = '@$!%*?&'
export const NEW_PASSWORD_SIGNS = '!@#$%^&*(),.?":{}|<>'

const hasOneOf = (signs: string, text: string): boolean => signs.split('').some((sign) => text.includes(sign))

/** The password rules of sign-up, with the specification's texts. */
export const signUpPassword = z
  .string()
  .min(8, 'Password must be at least 8 characters')
  .max(256, 'Password must be at most 256 characters')
  .refine(
    (text) => /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text) && hasOneOf(SIGN_UP_SIGNS, text),
    'Password must contain uppercase, lowercase, numbers, and special characters',
  )

/** The rules of a changed or reset password, in the order of their messages. */
export const newPassword = z
  .string()
  .max(256, 'Password must be at most 256 characters')
  .check((context) => {
    const problem = findNewPasswordProblem(context.value)
    if (problem) context.issues.push({ code: 'custom', message: problem, input: context.value })
  })

/** The message of the first rule that a new password breaks; undefined if it is valid. */
export function findNewPasswordProblem(text: string): string | undefined {
  if (text.length < 8) return 'New password must be at least 8 characters long.'
  if (!/[A-Z]/.test(text)) return 'Password must contain at least one uppercase letter.'
  if (!/[a-z]/.test(text)) return 'Password must contain at least one lowercase letter.'
  if (!/\d/.test(text)) return 'Password must contain at least one number.'
  if (!hasOneOf(NEW_PASSWORD_SIGNS, text)) return 'Password must contain at least one special character (!@#$%^&*(),.?":{}|<>).'
  return undefined
}
