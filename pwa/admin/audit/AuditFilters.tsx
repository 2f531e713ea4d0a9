import { Download, Search, X } from '#pwa/ui/icons.ts'
import { type FormEvent, useId, useState } from 'react'
import { exportAudit } from '#shared/contract/admin/audit.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { buttonClass } from '#pwa/ui/buttonClass.ts'
import { SelectField } from '#pwa/ui/SelectField.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import type { AuditParams } from './useAuditParams.ts'

interface AuditFiltersProps extends AuditParams {
  /** All known actions; undefined until loaded. */
  actions: readonly string[] | undefined
  onChange: (next: Partial<AuditParams>) => void
}

/** Filters the log by action and actor. The export uses the same filter. */
export function AuditFilters({ action, actor, actions, onChange }: AuditFiltersProps) {
  const id = useId()
  // The field follows the address until somebody types.
  const [draft, setDraft] = useState<string | null>(null)
  const text = draft ?? actor
  // The address may name an action that does not occur in the log.
  const choices = [...new Set([...(actions ?? []), ...(action ? [action] : [])])].toSorted()

  function change(next: Partial<AuditParams>) {
    setDraft(null)
    onChange(next)
  }
  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    change({ actor: text.trim() })
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
          {choices.map((one) => (
            <option key={one} value={one}>
              {nameAction(one)}
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
      <Button type="submit" variant="secondary" disabled={text.trim() === actor} className="max-sm:flex-1">
        <Search size={16} aria-hidden /> {t('Search')}
      </Button>
      {(action || text) && (
        <Button variant="quiet" className="max-sm:flex-1" onClick={() => change({ action: '', actor: '' })}>
          <X size={16} aria-hidden /> {t('Clear')}
        </Button>
      )}
      <a
        href={exportPath({ action, actor })}
        target="_blank"
        rel="noreferrer"
        className={buttonClass({ variant: 'secondary', className: 'max-sm:w-full sm:ml-auto' })}
      >
        <Download size={16} aria-hidden /> {t('Export to Excel')}
      </a>
    </form>
  )
}

/** The export of the filtered log. Opened in its own tab, because in-app browsers of wallets cannot download otherwise. */
function exportPath(filter: Pick<AuditParams, 'action' | 'actor'>): string {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value))
  return query.size > 0 ? `${exportAudit.path}?${query}` : exportAudit.path
}

/** The code is shown beside the name because the log and the export use it. */
function nameAction(action: string): string {
  const name = translateServerText(action)
  return name === action ? action : `${name} (${action})`
}
