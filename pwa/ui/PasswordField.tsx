import clsx from 'clsx'
import { Eye, EyeOff } from '#pwa/ui/icons.ts'
import { type ComponentProps, useId, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { Field, type FieldText, inputClass } from './Field.tsx'

/** A password input with a show/hide button. */
export function PasswordField({ label, hint, error, className, id, ...rest }: ComponentProps<'input'> & FieldText) {
  const ownId = useId()
  const [isShown, setShown] = useState(false)
  return (
    <Field id={id ?? ownId} label={label} hint={hint} error={error}>
      {(wiring) => (
        <div className="relative">
          <input
            autoCapitalize="none"
            spellCheck={false}
            {...rest}
            {...wiring}
            type={isShown ? 'text' : 'password'}
            className={clsx(inputClass, 'pr-13', className)}
          />
          <button
            type="button"
            aria-label={t(isShown ? 'Hide password' : 'Show password')}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
            className="absolute inset-y-0.5 right-0.5 grid w-11 place-items-center rounded-input text-ink-9 transition-colors hover:text-ink-12"
          >
            {isShown ? <EyeOff size={18} aria-hidden /> : <Eye size={18} aria-hidden />}
          </button>
        </div>
      )}
    </Field>
  )
}
