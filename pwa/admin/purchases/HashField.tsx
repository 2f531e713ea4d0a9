import type { Ref } from 'react'
import { TextField } from '#pwa/ui/TextField.tsx'

interface HashFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: string
  error?: string | undefined
  readOnly?: boolean
  ref?: Ref<HTMLInputElement>
}

export const HashField = ({ label, value, onChange, hint, error, readOnly, ref }: HashFieldProps) => (
  <TextField
    ref={ref}
    label={label}
    value={value}
    onChange={(event) => onChange(event.target.value)}
    hint={hint}
    error={error}
    readOnly={readOnly}
    placeholder="0x..."
    autoComplete="off"
    autoCapitalize="none"
    spellCheck={false}
    maxLength={200}
    className="exact"
  />
)
