import { setupPayload } from '#shared/contract/setup.ts'
import { msg } from '#pwa/i18n/t.ts'

/** The form's fields as typed. */
export interface SetupFields {
  username: string
  password: string
  confirmPassword: string
  allowedIps: string
}

export interface SetupProblem {
  field: keyof SetupFields
  message: string
}

/** Separated by commas, spaces and line breaks; empty entries are dropped. */
export const splitIps = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

/** The first invalid field, in the order of the validation rules: name, password, confirmation, addresses. */
export function findSetupProblem(fields: SetupFields): SetupProblem | null {
  const { shape } = setupPayload
  const problemIn = (field: keyof SetupFields, value: unknown): SetupProblem | null => {
    const message = shape[field].safeParse(value).error?.issues[0]?.message
    return message ? { field, message } : null
  }
  return (
    problemIn('username', fields.username) ??
    problemIn('password', fields.password) ??
    (fields.password === fields.confirmPassword
      ? null
      : { field: 'confirmPassword', message: msg('Please ensure both passwords are identical.') }) ??
    problemIn('allowedIps', splitIps(fields.allowedIps))
  )
}
