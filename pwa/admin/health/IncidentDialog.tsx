import { type FormEvent, useId, useState } from 'react'
import { MAX_ANNOUNCEMENT_TEXT, MAX_ANNOUNCEMENT_TITLE } from '#shared/contract/admin/announcements.ts'
import {
  incidentText,
  incidentTitle,
  listIncidents,
  type ReportedIncident,
  startIncident,
  updateIncident,
} from '#shared/contract/admin/incidents.ts'
import type { Input } from '#shared/contract/endpoint.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { TextArea } from '#pwa/ui/TextArea.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { useRowDecision } from '../useRowDecision.ts'

const rules = { titleEn: incidentTitle, textEn: incidentText, titleKo: incidentTitle, textKo: incidentText }
type FieldName = keyof typeof rules
const isOptional = (name: FieldName) => name.endsWith('Ko')

interface IncidentDialogProps {
  /** Absent for a new one. */
  incident?: ReportedIncident
  onClose: () => void
}

/** The words of an incident. Korean is optional: its readers then see the English ones. */
export function IncidentDialog({ incident, onClose }: IncidentDialogProps) {
  const [fields, setFields] = useState<Record<FieldName, string>>({
    titleEn: incident?.title.en ?? '',
    textEn: incident?.text.en ?? '',
    titleKo: incident?.title.ko ?? '',
    textKo: incident?.text.ko ?? '',
  })
  const [isChecked, setChecked] = useState(false)
  const formId = useId()
  const save = useRowDecision({
    decide: (body: Input<typeof startIncident>['body'], options) =>
      incident ? api(updateIncident, { params: { id: incident.id }, body }) : api(startIncident, { body }, options),
    done: incident ? t('Incident Changed') : t('Incident Reported'),
    failed: t('The incident was not saved'),
    refreshes: [listIncidents.path],
    onSettled: onClose,
  })

  const problemOf = (name: FieldName) =>
    isOptional(name) && !fields[name].trim() ? undefined : rules[name].safeParse(fields[name]).error?.issues[0]?.message
  const bind = (name: FieldName) => ({
    value: fields[name],
    error: isChecked ? problemOf(name) : undefined,
    autoComplete: 'off',
    onChange: (event: { target: { value: string } }) => setFields({ ...fields, [name]: event.target.value }),
  })
  const wordsOf = (name: FieldName) => fields[name].trim()

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    setChecked(true)
    if (Object.keys(rules).some((name) => problemOf(name as FieldName) !== undefined)) return
    save.mutate({
      title: { en: wordsOf('titleEn'), ko: wordsOf('titleKo') || null },
      text: { en: wordsOf('textEn'), ko: wordsOf('textKo') || null },
    })
  }

  return (
    <Dialog
      open
      isHeld={save.isPending}
      onOpenChange={onClose}
      isWide
      title={incident ? t('Edit the incident') : t('Report an incident')}
      description={t('Everybody can read it on the status page at once. Links, domains, email and wallet addresses are refused.')}
      actions={
        <>
          <Button variant="secondary" onClick={onClose} disabled={save.isPending}>
            {t('Cancel')}
          </Button>
          <Button type="submit" form={formId} needsServer isPending={save.isPending} pendingLabel={t('Saving...')}>
            {incident ? t('Save') : t('Report')}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={handleSubmit} className="grid gap-4 sm:grid-cols-2">
        <div className="flex flex-col gap-4">
          <TextField label={t('Title in English')} lang="en" maxLength={MAX_ANNOUNCEMENT_TITLE} {...bind('titleEn')} />
          <TextArea label={t('Text in English')} lang="en" rows={5} maxLength={MAX_ANNOUNCEMENT_TEXT} {...bind('textEn')} />
        </div>
        <div className="flex flex-col gap-4">
          <TextField label={t('Title in Korean (optional)')} lang="ko" maxLength={MAX_ANNOUNCEMENT_TITLE} {...bind('titleKo')} />
          <TextArea
            label={t('Text in Korean (optional)')}
            lang="ko"
            rows={5}
            maxLength={MAX_ANNOUNCEMENT_TEXT}
            {...bind('textKo')}
          />
        </div>
      </form>
    </Dialog>
  )
}
