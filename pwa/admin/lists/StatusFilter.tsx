import clsx from 'clsx'
import { useId } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { inputClass } from '#pwa/ui/Field.tsx'
import { ChevronDown } from '#pwa/ui/icons.ts'

interface StatusFilterProps<Status extends string> {
  /** Null: no filter. */
  value: Status | null
  options: readonly { value: Status; label: string }[]
  onChange: (status: Status | null) => void
  /** The choice without a filter. */
  all?: string
}

/** Narrows a list to one status, or to what waits. */
export function StatusFilter<Status extends string>({
  value,
  options,
  onChange,
  all = t('All statuses'),
}: StatusFilterProps<Status>) {
  const id = useId()
  return (
    <span className="relative block max-sm:w-full sm:w-56">
      <label htmlFor={id} className="sr-only">
        {t('Status')}
      </label>
      <select
        id={id}
        value={value ?? ''}
        onChange={({ target }) => onChange(options.find((option) => option.value === target.value)?.value ?? null)}
        className={clsx(inputClass, 'min-h-11! appearance-none truncate pr-9 text-14!')}
      >
        <option value="">{all}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown size={16} aria-hidden className="pointer-events-none absolute top-1/2 right-3 -translate-y-1/2 text-ink-9" />
    </span>
  )
}
