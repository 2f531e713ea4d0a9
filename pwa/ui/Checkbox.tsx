import { Check } from '#pwa/ui/icons.ts'
import type { ReactNode } from 'react'

interface CheckboxProps {
  checked: boolean
  onChange: (checked: boolean) => void
  /** The statement that the user agrees to. */
  children: ReactNode
}

export function Checkbox({ checked, onChange, children }: CheckboxProps) {
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-3 text-14 text-ink-11 select-none">
      <span className="relative grid size-6 shrink-0 place-items-center">
        <input
          type="checkbox"
          checked={checked}
          onChange={(event) => onChange(event.target.checked)}
          className="peer size-6 cursor-pointer appearance-none rounded-small border border-ink-8 bg-surface checked:border-accent checked:bg-accent"
        />
        <Check
          size={16}
          strokeWidth={2.5}
          aria-hidden
          className="pointer-events-none absolute text-on-accent opacity-0 peer-checked:opacity-100"
        />
      </span>
      <span>{children}</span>
    </label>
  )
}
