import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import {
  announcementText,
  announcementTitle,
  listAnnouncements,
  MAX_ANNOUNCEMENT_TEXT,
  MAX_ANNOUNCEMENT_TITLE,
  sendAnnouncement,
} from '#shared/contract/admin/announcements.ts'
import type { Input } from '#shared/contract/endpoint.ts'
import { plural, t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { ConfirmDialog } from '#pwa/ui/ConfirmDialog.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { TextArea } from '#pwa/ui/TextArea.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { announcementsQuery } from '../queries.ts'
import { noWords, useBilingualFields } from '../useBilingualFields.ts'
import { useDraft } from '../useDraft.ts'
import { useRowDecision } from '../useRowDecision.ts'
import { AnnouncementList } from './AnnouncementList.tsx'
import { SettingError } from './SettingError.tsx'

const rules = { title: announcementTitle, text: announcementText }

/** A message of the operator to all accounts, and the progress of the last ones. */
export function AnnouncementsCard() {
  const { data, error, refetch } = useQuery(announcementsQuery)
  const { data: config } = useQuery(configQuery)
  return (
    <Card>
      <CardHeader title={t('Message to all users')} />
      <p className="mb-4 text-14 text-ink-10">
        {t(
          'Everybody sees it in the inbox under “Message from {brandName}”, and on devices and by email as they have chosen. It is plain text. Links, domains, email and wallet addresses are refused, so that nobody who takes over this panel can lead users to another site or wallet.',
          { brandName: config?.brandName ?? 'XCR Nodes' },
        )}
      </p>
      {error && !data && <SettingError error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-80" />}
      {data && (
        <div className="grid gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <MessageForm accounts={data.accounts} onAsk={refetch} />
          <AnnouncementList announcements={data.announcements} />
        </div>
      )}
    </Card>
  )
}

function MessageForm({ accounts, onAsk }: { accounts: number; onAsk: () => unknown }) {
  const { bind, title, text, check, clear } = useBilingualFields({ rules, state: useDraft('announcement', noWords) })
  const [isAsking, setAsking] = useState(false)
  const send = useRowDecision({
    decide: (body: Input<typeof sendAnnouncement>['body'], options) => api(sendAnnouncement, { body }, options),
    done: t('Message Sent'),
    failed: t('The message was not sent'),
    refreshes: [listAnnouncements.path],
    onSettled: () => {
      setAsking(false)
      clear()
    },
    onRefused: () => setAsking(false),
  })

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (!check()) return
    setAsking(true)
    // Users may have signed up since the panel was opened.
    void onAsk()
  }

  return (
    <form noValidate onSubmit={handleSubmit} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <div className="flex flex-col gap-4">
          <TextField label={t('Title in English')} lang="en" maxLength={MAX_ANNOUNCEMENT_TITLE} {...bind('titleEn')} />
          <TextArea label={t('Text in English')} lang="en" rows={6} maxLength={MAX_ANNOUNCEMENT_TEXT} {...bind('textEn')} />
        </div>
        <div className="flex flex-col gap-4">
          <TextField label={t('Title in Korean')} lang="ko" maxLength={MAX_ANNOUNCEMENT_TITLE} {...bind('titleKo')} />
          <TextArea label={t('Text in Korean')} lang="ko" rows={6} maxLength={MAX_ANNOUNCEMENT_TEXT} {...bind('textKo')} />
        </div>
      </div>
      <Button type="submit" className="self-start">
        {t('Send to all users')}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={plural(accounts, 'Send the message to {count} account?', 'Send the message to {count} accounts?')}
        description={
          <>
            <strong lang="en" className="block font-strong wrap-anywhere text-ink-12">
              {title.en}
            </strong>{' '}
            <strong lang="ko" className="mb-2 block font-strong wrap-anywhere text-ink-12">
              {title.ko}
            </strong>{' '}
            {t("It is sent immediately and can't be undone or changed. The audit log keeps its texts.")}
          </>
        }
        confirmLabel={t('Send to all users')}
        pendingLabel={t('Sending...')}
        isPending={send.isPending}
        onConfirm={() => send.mutate({ title, text })}
      />
    </form>
  )
}
