import { Switch as Radix } from 'radix-ui'
import { type ReactNode, useId } from 'react'

interface SwitchProps {
  label: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
}

/** An on/off switch that takes effect immediately. */
export function Switch({ label, checked, onChange, disabled = false }: SwitchProps) {
  const id = useId()
  return (
    <span className="inline-flex min-h-11 items-center gap-3">
      <Radix.Root
        id={id}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        className="relative h-6 w-10 shrink-0 rounded-full border border-ink-8 bg-ink-4 transition-colors before:absolute before:-inset-2.5 before:content-[''] disabled:opacity-60 data-[state=checked]:border-accent data-[state=checked]:bg-accent"
      >
        <Radix.Thumb className="block size-4 translate-x-[3px] rounded-full bg-ink-9 transition-transform data-[state=checked]:translate-x-[19px] data-[state=checked]:bg-on-accent" />
      </Radix.Root>
      <label htmlFor={id} className="text-14 text-ink-11">
        {label}
      </label>
    </span>
  )
}
