import clsx from 'clsx'
import { type ComponentProps, useId } from 'react'
import { Field, type FieldText, inputClass } from './Field.tsx'

export function TextArea({ label, hint, error, className, id, ...rest }: ComponentProps<'textarea'> & FieldText) {
  const ownId = useId()
  return (
    <Field id={id ?? ownId} label={label} hint={hint} error={error}>
      {(wiring) => <textarea {...rest} {...wiring} className={clsx(inputClass, 'py-2.5', className)} />}
    </Field>
  )
}
