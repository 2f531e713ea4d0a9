import type { Ref } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { TextField } from '#pwa/ui/TextField.tsx'

interface HashFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  error?: string | undefined
  readOnly?: boolean
  ref?: Ref<HTMLInputElement>
}

/** A field for the hash of a transaction, without a phone's corrections. `findHashProblem` says what is wrong with its value. */
export const HashField = ({ label, value, onChange, error, readOnly, ref }: HashFieldProps) => (
  <TextField
    ref={ref}
    label={label}
    value={value}
    onChange={(event) => onChange(event.target.value)}
    hint={error ? undefined : t('Or its link to a block explorer.')}
    error={error}
    readOnly={readOnly}
    placeholder="0x..."
    autoComplete="off"
    autoCapitalize="none"
    spellCheck={false}
    maxLength={200}
    className="exact font-mono"
  />
)
