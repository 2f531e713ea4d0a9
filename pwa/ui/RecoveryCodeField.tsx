import type { ComponentProps } from 'react'
import { t } from '#pwa/i18n/t.ts'
import type { FieldText } from './Field.tsx'
import { submitOnEnter } from './submitOnEnter.ts'
import { TextField } from './TextField.tsx'

/** Room for the code, its dash and typed spaces. */
const MAX_LENGTH = 20

interface RecoveryCodeFieldProps extends Partial<FieldText>, Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  value: string
  onChange: (code: string) => void
}

/** An input for one of the ten recovery codes. */
export function RecoveryCodeField({ value, onChange, ...rest }: RecoveryCodeFieldProps) {
  return (
    <TextField
      hint={t('One of the ten codes you saved. Each works once.')}
      autoComplete="off"
      autoCapitalize="characters"
      autoCorrect="off"
      spellCheck={false}
      maxLength={MAX_LENGTH}
      placeholder="ABCDE-FGHJK"
      className="exact text-20! tracking-[0.1em]! uppercase"
      onKeyDown={submitOnEnter}
      {...rest}
      label={t('Recovery code')}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
