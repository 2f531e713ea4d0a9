import type { KeyboardEvent } from 'react'

/** The browser submits nothing while a form's button is disabled, so the form could not show what is missing. */
export function submitOnEnter(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}
