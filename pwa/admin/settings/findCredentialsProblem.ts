import { msg } from '#pwa/i18n/t.ts'

/** The form's fields as typed. */
export interface CredentialsFields {
  currentPassword: string
  newUsername: string
  newPassword: string
  confirmPassword: string
}

export interface CredentialsProblem {
  field: keyof CredentialsFields
  message: string
}

/** The specification allows shorter passwords; the page only warns about them. */
const STRONG_LENGTH = 12

/** The first invalid field, in the order of the validation rules. */
export function findCredentialsProblem(fields: CredentialsFields): CredentialsProblem | null {
  const { currentPassword, newUsername, newPassword, confirmPassword } = fields
  if (!currentPassword) return { field: 'currentPassword', message: msg('Please enter the current password.') }
  // Only spaces count as empty: the login would refuse them.
  if (!newUsername.trim() && !newPassword.trim())
    return { field: 'newUsername', message: msg('Please enter a new username or a new password.') }
  if (newPassword !== confirmPassword)
    return { field: 'confirmPassword', message: msg('The confirmation does not match the new password.') }
  return null
}

export const isWeak = (password: string): boolean => password.length > 0 && password.length < STRONG_LENGTH
