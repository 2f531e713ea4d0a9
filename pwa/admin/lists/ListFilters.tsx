import clsx from 'clsx'
import { type FormEvent, useId, useState } from 'react'
import { parseAmount } from '#shared/amount.ts'
import { t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { ChevronDown } from '#pwa/ui/icons.ts'
import { SelectField } from '#pwa/ui/SelectField.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { nameZone } from '../zone/officeZone.ts'
import type { AnyFilter } from './useListParams.ts'

interface Option {
  value: string
  label: string
}

interface ListFiltersProps {
  filter: AnyFilter
  /** The zone of its days. */
  zone: string
  /** The unit of its amounts; none if the list has no amount to narrow by. */
  unit?: 'USDT' | 'XCR'
  hasDates?: boolean
  kinds?: { label: string; options: readonly Option[] }
  /** The first is the order without a choice. */
  sorts?: readonly Option[]
  onChange: (next: { kind: string | null; sort: string | null } & Record<Field, string>) => void
}

type Field = 'from' | 'to' | 'min' | 'max'
const nothing: Record<Field | 'kind' | 'sort', string> = { from: '', to: '', min: '', max: '', kind: '', sort: '' }

const inField = 'min-h-11! text-14!'

/** Narrows a list by time, amount and kind, and sorts it. Opens by itself while the address has any of it. */
export function ListFilters({ filter, zone, unit, hasDates = true, kinds, sorts, onChange }: ListFiltersProps) {
  const id = useId()
  const current = Object.fromEntries(Object.keys(nothing).map((name) => [name, filter[name as Field] ?? ''])) as typeof nothing
  const count = Object.values(current).filter(Boolean).length
  const [isOpen, setOpen] = useState(count > 0)
  const [draft, setDraft] = useState(current)
  const [known, setKnown] = useState(JSON.stringify(current))
  // Back restores an earlier filter, and the fields follow.
  if (known !== JSON.stringify(current)) {
    setKnown(JSON.stringify(current))
    setDraft(current)
  }
  const set = (name: keyof typeof nothing) => (event: { target: { value: string } }) =>
    setDraft({ ...draft, [name]: event.target.value })
  const problem = (text: string) => (text.trim() && parseAmount(text.trim()) === undefined ? t('Not a valid amount.') : undefined)

  function apply(next: typeof nothing) {
    const { kind, sort, ...others } = next
    onChange({ ...others, min: others.min.trim(), max: others.max.trim(), kind: kind || null, sort: sort || null })
  }
  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (!problem(draft.min) && !problem(draft.max)) apply(draft)
  }

  return (
    <div className="mb-4">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className="inline-flex min-h-11 items-center gap-1.5 rounded-small text-14 font-strong text-ink-10 hover:text-ink-12"
      >
        <ChevronDown size={16} aria-hidden className={clsx('transition-transform', !isOpen && '-rotate-90')} />
        {count > 0 ? t('Filters and order ({count})', { count }) : t('Filters and order')}
      </button>
      <form
        id={id}
        hidden={!isOpen}
        noValidate
        onSubmit={handleSubmit}
        aria-label={t('Filters and order')}
        className="mt-1 rounded-card border border-ink-5 bg-surface p-4"
      >
        <div className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
          {hasDates && (
            <>
              <TextField
                type="date"
                label={t('From ({zone})', { zone: nameZone(zone) })}
                value={draft.from}
                max={draft.to || undefined}
                onChange={set('from')}
                className={inField}
              />
              <TextField
                type="date"
                label={t('To ({zone})', { zone: nameZone(zone) })}
                value={draft.to}
                min={draft.from || undefined}
                onChange={set('to')}
                className={inField}
              />
            </>
          )}
          {unit && (
            <>
              <TextField
                label={t('At least ({unit})', { unit })}
                inputMode="decimal"
                value={draft.min}
                error={problem(draft.min)}
                onChange={set('min')}
                className={inField}
              />
              <TextField
                label={t('At most ({unit})', { unit })}
                inputMode="decimal"
                value={draft.max}
                error={problem(draft.max)}
                onChange={set('max')}
                className={inField}
              />
            </>
          )}
          {kinds && (
            <SelectField label={kinds.label} value={draft.kind} onChange={set('kind')} className={inField}>
              <option value="">{t('All')}</option>
              {kinds.options.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </SelectField>
          )}
          {sorts && (
            <SelectField label={t('Order')} value={draft.sort} onChange={set('sort')} className={inField}>
              {sorts.map(({ value, label }, index) => (
                <option key={value} value={index === 0 ? '' : value}>
                  {label}
                </option>
              ))}
            </SelectField>
          )}
        </div>
        <div className="mt-4 flex flex-wrap gap-2 max-sm:*:flex-1">
          <Button type="submit" variant="secondary">
            {t('Apply')}
          </Button>
          {(count > 0 || Object.values(draft).some(Boolean)) && (
            <Button
              variant="quiet"
              onClick={() => {
                setDraft(nothing)
                apply(nothing)
              }}
            >
              {t('Clear filters')}
            </Button>
          )}
        </div>
      </form>
    </div>
  )
}
