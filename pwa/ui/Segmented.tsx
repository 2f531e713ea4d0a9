import { RadioGroup as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

interface SegmentedProps<Value extends string> {
  label: string
  /** Null: none is selected. */
  value: Value | null
  onChange: (value: Value) => void
  options: readonly { value: Value; label: ReactNode; disabled?: boolean }[]
}

/** A few exclusive choices side by side. */
export function Segmented<Value extends string>({ label, value, onChange, options }: SegmentedProps<Value>) {
  return (
    <Radix.Root
      aria-label={label}
      orientation="horizontal"
      value={value}
      onValueChange={(next) => onChange(next as Value)}
      className="flex rounded-input border border-ink-5 bg-ink-3 p-0.5"
    >
      {options.map((option) => (
        <Radix.Item
          key={option.value}
          value={option.value}
          disabled={option.disabled ?? false}
          className="figures min-h-11 flex-1 rounded-[8px] border border-transparent px-2 text-14 font-strong text-ink-10 transition-colors hover:text-ink-12 disabled:text-ink-7 data-[state=checked]:border-ink-6 data-[state=checked]:bg-surface dark:data-[state=checked]:bg-ink-5 data-[state=checked]:text-ink-12"
        >
          {option.label}
        </Radix.Item>
      ))}
    </Radix.Root>
  )
}
