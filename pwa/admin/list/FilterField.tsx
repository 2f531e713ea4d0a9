import { Search, X } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { inputClass } from '#pwa/ui/Field.tsx'
import { useSlash } from './useSlash.ts'

/** How long after the last letter the list follows. */
const PAUSE = 300

interface FilterFieldProps {
  label: string
  /** By what the list is filtered now. */
  value: string
  onChange: (value: string) => void
}

/** Filters a list while one types; at once on Enter. The slash key leads here. */
export function FilterField({ label, value, onChange }: FilterFieldProps) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState({ value, sent: value })
  const field = useRef<HTMLInputElement>(null)
  useSlash(field)

  // The address has changed by itself, as by the browser's way back: what was sent from here must not overwrite further typing.
  if (known.value !== value) {
    setKnown({ ...known, value })
    if (known.sent !== value) setTyped(value)
  }

  function send(text: string) {
    setKnown({ ...known, sent: text })
    if (text !== value) onChange(text)
  }
  useEffect(() => {
    const text = typed.trim()
    if (text === value) return
    const timer = setTimeout(() => send(text), PAUSE)
    return () => clearTimeout(timer)
  })

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    send(typed.trim())
  }

  return (
    <form noValidate role="search" onSubmit={handleSubmit} className="relative w-full desk:w-80">
      <Search size={16} aria-hidden className="pointer-events-none absolute top-1/2 left-3.5 -translate-y-1/2 text-ink-9" />
      <input
        ref={field}
        type="text"
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={label}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className={`${inputClass} min-h-11 pr-11 pl-10 desk:text-14`}
      />
      {typed && (
        <button
          type="button"
          aria-label="Clear filter"
          onClick={() => {
            setTyped('')
            send('')
            field.current?.focus()
          }}
          className="absolute top-0.5 right-0.5 grid size-10 place-items-center rounded-input text-ink-9 transition-colors hover:bg-ink-3 hover:text-ink-12"
        >
          <X size={18} aria-hidden />
        </button>
      )}
    </form>
  )
}
