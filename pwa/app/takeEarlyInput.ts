import { flushSync } from 'react-dom'
import { pressAgain, pressDown } from '#pwa/ui/pressAgain.ts'

declare global {
  interface Window {
    /** What was done to the page before it was hydrated: server/earlyInput.js keeps it. */
    earlyInput?: {
      /** Buttons that were pressed and fields that were typed into, in order. */
      kept: (HTMLButtonElement | TextField)[]
      /** The button on which a pointer is down. */
      down: HTMLButtonElement | null
      stop: () => void
    }
  }
}

type TextField = HTMLInputElement | HTMLTextAreaElement

/**
 * Takes what was typed and pressed on the page that the server has drawn. Call it right before the page is hydrated, and the function
 * it returns right after that, in the same task: React hydrates over what was typed and ignores what was pressed.
 */
export function takeEarlyInput(root: HTMLElement): () => void {
  const { kept = [], down = null, stop } = window.earlyInput ?? {}
  stop?.()
  const values = new Map<Element, string>()
  for (const field of root.querySelectorAll<TextField>('input:not([aria-hidden]), textarea'))
    if (field.value !== field.defaultValue || kept.includes(field)) values.set(field, field.value)
  // A browser fills in passwords, and what stood there before a reload, without an event.
  const filledIn = [...values.keys()].filter((field) => !kept.includes(field as TextField))

  return () => {
    for (const button of kept) button.removeAttribute('aria-busy')
    for (const element of [...filledIn, ...kept]) {
      const value = values.get(element)
      if (value !== undefined) type(element as TextField, value)
      else if (element.isConnected) flushSync(() => pressAgain(element as HTMLButtonElement))
    }
    for (const [field, value] of values) if (!field.isConnected) typeIntoSuccessor(root, field as TextField, value)
    // The pointer comes up after this: the click will follow by itself.
    if (down) flushSync(() => pressDown(down))
  }
}

/** As a person types it: React and the form's library learn of it by the event. */
function type(field: TextField, value: string): void {
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')!
  // React hears of a change only where the value is another than the one it has noted.
  field.value = field.defaultValue
  set!.call(field, value)
  flushSync(() => field.dispatchEvent(new Event('input', { bubbles: true })))
}

/** What was typed before another tab was chosen goes into the field of the same name there. */
function typeIntoSuccessor(root: HTMLElement, { name }: TextField, value: string): void {
  const successor = name ? root.querySelector<TextField>(`[name="${CSS.escape(name)}"]`) : null
  if (successor?.value === '') type(successor, value)
}
