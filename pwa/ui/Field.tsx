import type { ReactNode } from 'react'
import { translateServerText } from '#pwa/i18n/t.ts'

export interface FieldText {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
}

/** The look of every text input. */
export const inputClass =
  'block w-full min-h-12 rounded-input border border-ink-8 bg-surface px-3.5 text-16 text-ink-12 text-ellipsis transition-[border-color,box-shadow] placeholder:text-ink-9 hover:border-ink-9 focus:border-accent focus:shadow-[0_0_0_3px_var(--accent-line)] focus:outline-none aria-invalid:border-red aria-invalid:focus:shadow-[0_0_0_3px_var(--red-line)] disabled:border-ink-5 disabled:bg-ink-2 disabled:text-ink-9'

/** Label above, hint and error below. The control gets `describedBy` and `isInvalid` from here. */
export function Field({
  id,
  label,
  hint,
  error,
  children,
}: FieldText & {
  id: string
  children: (wiring: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode
}) {
  const describedBy = [hint ? `${id}-hint` : undefined, error ? `${id}-error` : undefined].filter(Boolean).join(' ')
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-14 font-strong text-ink-11">
        {label}
      </label>
      {children({ id, ...(describedBy && { 'aria-describedby': describedBy }), ...(error && { 'aria-invalid': true as const }) })}
      {hint && (
        <p id={`${id}-hint`} className="mt-1.5 text-14 text-ink-9">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="mt-1.5 flex items-start gap-1.5 text-14 text-red">
          <svg width="14" height="20" viewBox="0 0 14 20" aria-hidden className="shrink-0">
            <path d="M7 4.5 13 15H1Z" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinejoin="round" />
            <path d="M7 8.5v3M7 13.2v.3" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" />
          </svg>
          <span>{translateServerText(error)}</span>
        </p>
      )}
    </div>
  )
}
