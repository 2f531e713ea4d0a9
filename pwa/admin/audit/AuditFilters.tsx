import { Search, X } from '#pwa/ui/icons.ts'
import { type FormEvent, useId, useState } from 'react'
import { exportAudit } from '#shared/contract/admin/audit.ts'
import { t } from '#pwa/i18n/t.ts'
import { wordOf } from '#pwa/i18n/wordOf.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { SelectField } from '#pwa/ui/SelectField.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { ExportLinks } from '../lists/ExportLinks.tsx'
import { auditFilterOf } from '../queries.ts'
import { nameZone } from '../zone/officeZone.ts'
import { actionNames } from './actionNames.ts'
import type { AuditParams } from './useAuditParams.ts'

interface AuditFiltersProps extends AuditParams {
  /** All known actions; undefined until loaded. */
  actions: readonly string[] | undefined
  /** The zone of the days. */
  zone: string
  onChange: (next: Partial<AuditParams>) => void
}

/** Filters the log by action, actor, person concerned and days. The export uses the same filter. */
export function AuditFilters({ action, actor, person, from, to, actions, zone, onChange }: AuditFiltersProps) {
  const id = useId()
  // The field follows the address until somebody types.
  const [draft, setDraft] = useState<string | null>(null)
  const text = draft ?? actor
  const [draftPerson, setDraftPerson] = useState<string | null>(null)
  const concerned = draftPerson ?? person
  // The address may name an action that does not occur in the log.
  const choices = [...new Set([...(actions ?? []), ...(action ? [action] : [])])]
    .map((code) => ({ code, name: nameAction(code) }))
    .toSorted((one, other) => one.name.localeCompare(other.name))

  function change(next: Partial<AuditParams>) {
    setDraft(null)
    setDraftPerson(null)
    onChange(next)
  }
  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    change({ actor: text.trim(), person: concerned.trim() })
  }

  return (
    <form
      role="search"
      aria-label={t('Audit log')}
      noValidate
      onSubmit={handleSubmit}
      className="mb-4 flex flex-wrap items-end gap-2"
    >
      <div className="w-full sm:w-60">
        <SelectField
          label={t('Action')}
          value={action}
          onChange={({ target }) => onChange({ action: target.value })}
          className="min-h-11! text-14!"
        >
          <option value="">{t('All actions')}</option>
          {choices.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </SelectField>
      </div>
      <div className="w-full sm:w-64">
        <TextField
          id={id}
          label={t('Who')}
          value={text}
          onChange={({ target }) => setDraft(target.value)}
          placeholder={t('Name or email')}
          maxLength={254}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className="min-h-11! text-14!"
        />
      </div>
      <div className="w-full sm:w-64">
        <TextField
          label={t('Person concerned')}
          value={concerned}
          onChange={({ target }) => setDraftPerson(target.value)}
          placeholder={t('Email of the account')}
          maxLength={254}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className="min-h-11! text-14!"
        />
      </div>
      {(['from', 'to'] as const).map((name) => (
        <div key={name} className="max-sm:flex-1 sm:w-40">
          <TextField
            type="date"
            label={name === 'from' ? t('From ({zone})', { zone: nameZone(zone) }) : t('To ({zone})', { zone: nameZone(zone) })}
            value={name === 'from' ? from : to}
            onChange={({ target }) => onChange({ [name]: target.value })}
            className="min-h-11! text-14!"
          />
        </div>
      ))}
      <Button
        type="submit"
        variant="secondary"
        disabled={text.trim() === actor && concerned.trim() === person}
        className="max-sm:flex-1"
      >
        <Search size={16} aria-hidden /> {t('Search')}
      </Button>
      {(action || text || concerned || from || to) && (
        <Button
          variant="quiet"
          className="max-sm:flex-1"
          onClick={() => change({ action: '', actor: '', person: '', from: '', to: '' })}
        >
          <X size={16} aria-hidden /> {t('Clear')}
        </Button>
      )}
      <span className="flex gap-2 max-sm:w-full sm:ml-auto">
        <ExportLinks
          call={exportAudit}
          query={auditFilterOf({ action, actor, person, from, to }, zone)}
          label={t('Excel download')}
        />
      </span>
    </form>
  )
}

/** The code is shown beside the name because the log and the export use it. */
function nameAction(action: string): string {
  const name = wordOf(actionNames, action)
  return name === action ? action : `${name} (${action})`
}
