import type { Ref } from 'react'
import { TextArea } from '#pwa/ui/TextArea.tsx'

interface ReasonFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: string
  error?: string | undefined
  ref?: Ref<HTMLTextAreaElement>
}

/** The reason for a decision, limited to the length that the server accepts. */
export const ReasonField = ({ label, value, onChange, hint, error, ref }: ReasonFieldProps) => (
  <TextArea
    ref={ref}
    label={label}
    rows={3}
    maxLength={2_000}
    value={value}
    onChange={(event) => onChange(event.target.value)}
    hint={hint}
    error={error}
  />
)
