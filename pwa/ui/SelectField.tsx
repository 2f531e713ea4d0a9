import clsx from 'clsx'
import { ChevronDown } from '#pwa/ui/icons.ts'
import { type ComponentProps, useId } from 'react'
import { Field, type FieldText, inputClass } from './Field.tsx'

/** A native select with our styles. */
export function SelectField({ label, hint, error, className, id, ...rest }: ComponentProps<'select'> & FieldText) {
  const ownId = useId()
  return (
    <Field id={id ?? ownId} label={label} hint={hint} error={error}>
      {(wiring) => (
        <span className="relative block">
          <select {...rest} {...wiring} className={clsx(inputClass, 'appearance-none truncate pr-9', className)} />
          <ChevronDown
            size={16}
            aria-hidden
            className="pointer-events-none absolute top-1/2 right-3 -translate-y-1/2 text-ink-9"
          />
        </span>
      )}
    </Field>
  )
}
