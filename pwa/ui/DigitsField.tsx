import { type ComponentProps, useState } from 'react'
import { CODE_LENGTH } from '#shared/oneTimeCode.ts'
import { readDigits } from '#pwa/lib/readDigits.ts'
import type { FieldText } from './Field.tsx'
import { submitOnEnter } from './submitOnEnter.ts'
import { TextField } from './TextField.tsx'

interface DigitsFieldProps extends FieldText, Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  value: string
  onChange: (digits: string) => void
}

/** A six-digit code in one field. Digits of other scripts are converted; anything else is dropped. */
export function DigitsField({ value, onChange, ...rest }: DigitsFieldProps) {
  // Text that an input method is still composing is left alone: changing it would insert it twice.
  const [draft, setDraft] = useState<string | null>(null)

  function take(text: string) {
    setDraft(null)
    onChange(readDigits(text).slice(0, CODE_LENGTH))
  }

  return (
    <TextField
      inputMode="numeric"
      autoComplete="one-time-code"
      placeholder="000000"
      className="figures text-20! tracking-[0.2em]!"
      onKeyDown={submitOnEnter}
      {...rest}
      value={draft ?? value}
      onChange={(event) =>
        (event.nativeEvent as InputEvent).isComposing ? setDraft(event.target.value) : take(event.target.value)
      }
      onCompositionEnd={(event) => take(event.currentTarget.value)}
    />
  )
}
