import { Search, X } from '#pwa/ui/icons.ts'
import { type FormEvent, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { inputClass } from '#pwa/ui/Field.tsx'
import { focusFirstRow } from './moveByArrows.ts'

interface EmailSearchProps {
  /** The current search text; empty: no search. */
  email: string
  onSearch: (email: string) => void
  isPending: boolean
  /** What the text is searched in. */
  label?: string
  searchLabel?: ReactNode
  clearLabel?: ReactNode
}

/** Filters a list by e-mail address. The down arrow moves into the list. */
export function EmailSearch({
  email,
  onSearch,
  isPending,
  label = t('Search by email'),
  searchLabel = t('Search'),
  clearLabel = t('Clear'),
}: EmailSearchProps) {
  const id = useId()
  const [text, setText] = useState(email)
  const [searched, setSearched] = useState(email)
  const field = useRef<HTMLInputElement>(null)
  // Back restores an earlier search, and the field follows.
  if (searched !== email) {
    setSearched(email)
    setText(email)
  }

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (text.trim()) onSearch(text)
  }
  function handleClear() {
    setText('')
    onSearch('')
    field.current?.focus()
  }
  function handleArrow(event: KeyboardEvent<HTMLInputElement>) {
    if (event.key === 'ArrowDown') focusFirstRow(event)
  }

  return (
    <form role="search" noValidate onSubmit={handleSubmit} className="flex min-w-0 flex-wrap gap-2 max-sm:w-full sm:flex-nowrap">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <input
        id={id}
        ref={field}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={handleArrow}
        placeholder={label}
        inputMode="email"
        maxLength={254}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className={`${inputClass} min-h-11! sm:w-72`}
      />
      <Button
        type="submit"
        variant="secondary"
        disabled={!text.trim()}
        isPending={isPending && email !== ''}
        className="max-sm:flex-1"
      >
        <Search size={16} aria-hidden /> {searchLabel}
      </Button>
      {(text || email) && (
        <Button variant="quiet" onClick={handleClear} className="max-sm:flex-1">
          <X size={16} aria-hidden /> {clearLabel}
        </Button>
      )}
    </form>
  )
}
