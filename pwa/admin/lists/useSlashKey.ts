import { type RefObject, useEffect, useRef } from 'react'

/** The `/` key focuses the field with this ref, unless the focus is in a text field. */
export function useSlashKey(): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    function handleKey(event: KeyboardEvent) {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isOccupied(event.target)) return
      event.preventDefault()
      field.current?.select()
      field.current?.focus()
    }
    document.addEventListener('keydown', handleKey)
    return () => document.removeEventListener('keydown', handleKey)
  }, [])
  return field
}

const isOccupied = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  (target.matches('input, textarea, select, [contenteditable]') || target.closest('[role="dialog"], [role="menu"]') !== null)
