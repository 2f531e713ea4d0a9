import type { KeyboardEvent } from 'react'

/** Enter submits the form even while its button is disabled, so that the form can show what is missing. */
export function submitOnEnter(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}
