import type { KeyboardEvent } from 'react'

/** Enter in a field submits its form also while the button is disabled, so that the form can say what is missing. */
export function submitOnEnter(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}
