import { type ChangeEvent, type ClipboardEvent, type KeyboardEvent, type Ref, useImperativeHandle, useRef, useState } from 'react'
import { CODE_LENGTH } from '#shared/oneTimeCode.ts'
import { t } from '#pwa/i18n/t.ts'
import { readDigits } from '#pwa/lib/readDigits.ts'

const positions = Array.from({ length: CODE_LENGTH }, (_, position) => position)

export interface CodeBoxesHandle {
  focusFirst: () => void
  hasFocus: () => boolean
}

interface CodeBoxesProps {
  /** One entry per box; empty if nothing was typed. */
  digits: readonly string[]
  onDigitsChange: (digits: string[]) => void
  /** Called when all six are filled, and on Enter with any number. */
  onComplete: (code: string) => void
  disabled?: boolean
  label: string
  /** The last code was refused. */
  isInvalid?: boolean
  ref?: Ref<CodeBoxesHandle>
}

export const noDigits: readonly string[] = positions.map(() => '')

/** Six single-digit boxes. Digits of any script are accepted; a paste fills the boxes; Backspace on an empty box moves back. */
export function CodeBoxes({ digits, onDigitsChange, onComplete, disabled = false, label, isInvalid, ref }: CodeBoxesProps) {
  const boxes = useRef<(HTMLInputElement | null)[]>([])
  // Text that an input method is still composing is left alone: changing it would insert it twice.
  const [draft, setDraft] = useState<{ position: number; text: string } | null>(null)
  const focus = (position: number) => boxes.current[Math.min(Math.max(position, 0), CODE_LENGTH - 1)]?.focus()
  useImperativeHandle(ref, () => ({
    focusFirst: () => focus(0),
    hasFocus: () => boxes.current.some((box) => box === document.activeElement),
  }))

  function fill(from: number, typed: string) {
    const next = digits.map((digit, position) => typed[position - from] ?? digit)
    onDigitsChange(next)
    focus(from + typed.length)
    if (next.every(Boolean)) onComplete(next.join(''))
  }

  function take(position: number, value: string) {
    setDraft(null)
    const typed = readDigits(value)
    if (!typed) return onDigitsChange(digits.with(position, ''))
    // Autofill puts the whole code into one box; of a shorter text the last character counts.
    if (typed.length >= CODE_LENGTH) return fill(0, typed.slice(0, CODE_LENGTH))
    fill(position, typed.slice(-1))
  }

  function handleChange(position: number, event: ChangeEvent<HTMLInputElement>) {
    const text = event.target.value
    if ((event.nativeEvent as InputEvent).isComposing) setDraft({ position, text })
    else take(position, text)
  }

  function handleKeyDown(position: number, event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') {
      event.preventDefault()
      onComplete(digits.join(''))
    }
    if (event.key === 'Backspace' && !digits[position]) {
      event.preventDefault()
      onDigitsChange(digits.map((digit, at) => (at === position - 1 ? '' : digit)))
      focus(position - 1)
    }
    if (event.key === 'ArrowLeft') focus(position - 1)
    if (event.key === 'ArrowRight') focus(position + 1)
  }

  function handlePaste(event: ClipboardEvent) {
    event.preventDefault()
    const pasted = readDigits(event.clipboardData.getData('text')).slice(0, CODE_LENGTH)
    if (pasted) fill(0, pasted)
  }

  return (
    <fieldset className="flex justify-between gap-2 desk:justify-center desk:gap-3" aria-label={label}>
      {positions.map((position) => (
        <input
          key={position}
          ref={(box) => {
            boxes.current[position] = box
          }}
          aria-label={t('Digit {position} of {length}', { position: position + 1, length: CODE_LENGTH })}
          aria-invalid={isInvalid || undefined}
          value={draft?.position === position ? draft.text : digits[position]}
          disabled={disabled}
          inputMode="numeric"
          autoComplete={position === 0 ? 'one-time-code' : 'off'}
          onChange={(event) => handleChange(position, event)}
          onCompositionEnd={(event) => take(position, event.currentTarget.value)}
          onKeyDown={(event) => handleKeyDown(position, event)}
          onPaste={handlePaste}
          onFocus={(event) => event.target.select()}
          className="figures h-14 w-full max-w-13 min-w-0 rounded-input border border-ink-8 bg-surface text-center text-28 font-strong text-ink-12 transition-[border-color,box-shadow] focus:border-accent focus:shadow-[0_0_0_3px_var(--accent-line)] focus:outline-none disabled:border-ink-5 disabled:bg-ink-2 disabled:text-ink-9 aria-invalid:border-red aria-invalid:focus:shadow-[0_0_0_3px_var(--red-line)]"
        />
      ))}
    </fieldset>
  )
}
