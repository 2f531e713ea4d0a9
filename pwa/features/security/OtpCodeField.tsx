import { CODE_LENGTH } from '#shared/oneTimeCode.ts'
import { TextField } from '#pwa/ui/TextField.tsx'

/** Six digits of the authenticator in one field. Anything else does not enter. */
export function OtpCodeField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextField
      label="6-digit code"
      value={value}
      onChange={(event) => onChange(event.target.value.replace(/\D/g, '').slice(0, CODE_LENGTH))}
      inputMode="numeric"
      autoComplete="one-time-code"
      placeholder="000000"
      className="figures text-20! tracking-[0.2em]!"
    />
  )
}
