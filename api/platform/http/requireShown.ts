import { refusal } from '../errors.ts'

/**
 * Refuses to replace a value that its page did not show. Called under the lock of the value.
 *
 * @param shown undefined if the call does not name it, as pages of earlier releases.
 * @throws 409 `value_changed`.
 */
export function requireShown(value: string | null, shown: string | null | undefined): void {
  if (shown === undefined || shown === value) return
  const message = 'Another administrator has changed this meanwhile. Please look at the present value before you save yours.'
  throw refusal(409, 'value_changed', message, { value: value ?? '' })
}
