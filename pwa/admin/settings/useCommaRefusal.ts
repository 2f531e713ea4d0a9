import { type ClipboardEvent, type KeyboardEvent, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'

/**
 * A browser drops a comma from a number field without a word, unless it is its own decimal sign: 3,5 would become 35. This says so, and
 * nothing may be done with a text that only goes on after the comma.
 */
export function useCommaRefusal() {
  const [refused, setRefused] = useState<'typed' | 'pasted'>()
  const refuse = (event: { preventDefault: () => void }, how: 'typed' | 'pasted') => {
    if (isDecimalComma()) return
    event.preventDefault()
    setRefused(how)
  }
  return {
    problem: refused
      ? t('A comma cannot be read here. Please write it with a decimal point and without commas: 3.5 or 5000.')
      : undefined,
    /** Called with what the field had and has, at each change. */
    note: (before: string, after: string) => (refused === 'pasted' || !after.startsWith(before)) && setRefused(undefined),
    clear: () => setRefused(undefined),
    handlers: {
      onKeyDown: (event: KeyboardEvent) => event.key === ',' && refuse(event, 'typed'),
      onPaste: (event: ClipboardEvent) => event.clipboardData.getData('text').includes(',') && refuse(event, 'pasted'),
    },
  }
}

const isDecimalComma = (): boolean => new Intl.NumberFormat().format(1.5).includes(',')
