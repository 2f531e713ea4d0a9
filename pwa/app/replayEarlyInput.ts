import { flushSync } from 'react-dom'
import { replayPress, replayPointerDown } from '#pwa/ui/replayPress.ts'

declare global {
  interface Window {
    /** Input from before hydration, recorded by server/earlyInput.js. */
    earlyInput?: {
      /** Pressed buttons and changed fields, in order. */
      recorded: (HTMLButtonElement | TextField)[]
      /** The button with the pointer down. */
      down: HTMLButtonElement | null
      stop: () => void
    }
  }
}

type TextField = HTMLInputElement | HTMLTextAreaElement

/**
 * Collects what was typed and pressed on the server-rendered page. Call it right before hydration, and the returned function
 * right after it, in the same task: React overwrites typed values and ignores presses from before.
 */
export function replayEarlyInput(root: HTMLElement): () => void {
  const { recorded = [], down = null, stop } = window.earlyInput ?? {}
  stop?.()
  const values = new Map<Element, string>()
  for (const field of root.querySelectorAll<TextField>('input:not([aria-hidden]), textarea'))
    if (field.value !== field.defaultValue || recorded.includes(field)) values.set(field, field.value)
  // Autofilled passwords and values restored after a reload fire no event.
  const filledIn = [...values.keys()].filter((field) => !recorded.includes(field as TextField))

  return () => {
    for (const button of recorded) button.removeAttribute('aria-busy')
    for (const element of [...filledIn, ...recorded]) {
      const value = values.get(element)
      if (value !== undefined) type(element as TextField, value)
      else if (element.isConnected) flushSync(() => replayPress(element as HTMLButtonElement))
    }
    for (const [field, value] of values) if (!field.isConnected) typeIntoSuccessor(root, field as TextField, value)
    // The pointer is still down: its release will fire the click.
    if (down) flushSync(() => replayPointerDown(down))
  }
}

/** Sets a value with an input event, as typing does, for React and the form library. */
function type(field: TextField, value: string): void {
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')!
  // React ignores the event unless the value differs from the one it tracks.
  field.value = field.defaultValue
  set!.call(field, value)
  flushSync(() => field.dispatchEvent(new Event('input', { bubbles: true })))
}

/** Text from the form of a tab that was left goes into the field of the same name in the new form. */
function typeIntoSuccessor(root: HTMLElement, { name }: TextField, value: string): void {
  const successor = name ? root.querySelector<TextField>(`[name="${CSS.escape(name)}"]`) : null
  if (successor?.value === '') type(successor, value)
}
