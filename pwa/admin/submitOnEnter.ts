import type { KeyboardEvent } from 'react'

/** By itself the browser submits nothing while a form's button is disabled, and nobody would be told what is missing. */
export function submitOnEnter(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}
