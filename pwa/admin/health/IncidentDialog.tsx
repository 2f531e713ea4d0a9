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
import { Notice } from '#pwa/ui/Notice.tsx'
import { TextArea } from '#pwa/ui/TextArea.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { isChangedMeanwhile } from '../toastFailure.ts'
import { noWords, useBilingualFields } from '../useBilingualFields.ts'
import { useDialogDraft } from '../useDialogDraft.ts'
import { useDraft } from '../useDraft.ts'
import { useRefreshOffice } from '../useRefreshOffice.ts'
import { useRowDecision } from '../useRowDecision.ts'

interface IncidentDialogProps {
  /** Absent for a new one. */
  incident?: ReportedIncident
  /** As it is now; absent if it is no longer listed. */
  present?: ReportedIncident | undefined
  onClose: () => void
}

interface Edit {
  words: typeof noWords
  /** The `updatedAt` of the words that were edited: others may have replaced them until the login after the session has ended. */
  replaces: string
}

/** The words of an incident. Korean is optional: its readers then see the English ones. */
export function IncidentDialog({ incident, present, onClose }: IncidentDialogProps) {
  const draft = useDraft('incident', noWords)
  const [edit, setEdit] = useDialogDraft<Edit | undefined>(`incident ${incident?.id}`, undefined)
  const before = {
    titleEn: incident?.title.en ?? '',
    textEn: incident?.text.en ?? '',
    titleKo: incident?.title.ko ?? '',
    textKo: incident?.text.ko ?? '',
  }
  const replaced = edit ? new Date(edit.replaces) : incident?.updatedAt
  const { bind, title, text, check, clear } = useBilingualFields({
    rules: { title: incidentTitle, text: incidentText },
    state: incident
      ? [edit?.words ?? before, (words) => setEdit({ words, replaces: (replaced ?? incident.updatedAt).toISOString() })]
      : draft,
    isKoreanOptional: true,
  })
  function close() {
    if (!incident) clear()
    onClose()
  }
  const formId = useId()
  /** Another administrator has changed it meanwhile, at this time: the dialog shows the present words. */
  const [changedAt, setChangedAt] = useState<Date>()
  const refresh = useRefreshOffice()
  const save = useRowDecision({
    decide: ({ replaces, ...body }: Input<typeof updateIncident>['body'], options) =>
      incident
        ? api(updateIncident, { params: { id: incident.id }, body: { ...body, replaces } })
        : api(startIncident, { body }, options),
    done: incident ? t('Incident Changed') : t('Incident Reported'),
    failed: t('The incident was not saved'),
    refreshes: [listIncidents.path],
    onSettled: close,
    onRefused: (error) => {
      if (!isChangedMeanwhile(error)) return
      setChangedAt(new Date(error.details.value ?? NaN))
      void refresh(listIncidents.path)
    },
  })

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (!check()) return
    const replaces = changedAt ? (present?.updatedAt ?? changedAt) : replaced
    save.mutate({ title: { en: title.en, ko: title.ko || null }, text: { en: text.en, ko: text.ko || null }, replaces })
  }

  return (
    <Dialog
      open
      isHeld={save.isPending}
      onOpenChange={close}
      isWide
      title={incident ? t('Edit the incident') : t('Report an incident')}
      description={t('Everybody can read it on the status page at once. Links, domains, email and wallet addresses are refused.')}
      actions={
        <>
          <Button variant="secondary" onClick={close} disabled={save.isPending}>
            {t('Cancel')}
          </Button>
          <Button type="submit" form={formId} needsServer isPending={save.isPending} pendingLabel={t('Saving...')}>
            {incident ? t('Save') : t('Report')}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={handleSubmit} className="grid gap-4 sm:grid-cols-2">
        {changedAt && present && (
          <div className="whitespace-pre-line wrap-anywhere sm:col-span-2">
            <Notice tone="warning" title={t('Another administrator has changed it. It is now:')}>
              {[present.title.en, present.text.en, present.title.ko, present.text.ko].filter(Boolean).join('\n')}
            </Notice>
          </div>
        )}
        {changedAt && !present && (
          <div className="sm:col-span-2">
            <Notice tone="warning" title={t('Another administrator has changed it')}>
              {t('It was resolved and is no longer listed. Its history is in the audit log. Save again to replace its text.')}
            </Notice>
          </div>
        )}
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
