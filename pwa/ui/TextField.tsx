import clsx from 'clsx'
import { type ComponentProps, useId } from 'react'
import { Field, type FieldText, inputClass } from './Field.tsx'

export function TextField({ label, hint, error, className, id, ...rest }: ComponentProps<'input'> & FieldText) {
  const ownId = useId()
  return (
    <Field id={id ?? ownId} label={label} hint={hint} error={error}>
      {(wiring) => <input {...rest} {...wiring} className={clsx(inputClass, className)} />}
    </Field>
  )
}
