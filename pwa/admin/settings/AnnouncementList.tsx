import type { Announcement } from '#shared/contract/admin/announcements.ts'
import { t } from '#pwa/i18n/t.ts'
import { ProgressBar } from '#pwa/ui/ProgressBar.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { formatTime } from '../zone/officeZone.ts'
import { actorName } from './actorName.ts'

/** The last announcements, and how many accounts were told of each. */
export const AnnouncementList = ({ announcements }: { announcements: readonly Announcement[] }) => (
  <div className="min-w-0">
    <h3 className="text-14 font-strong text-ink-11">{t('Last messages')}</h3>
    {announcements.length === 0 && <p className="mt-2 text-14 text-ink-9">{t('No message has been sent.')}</p>}
    {announcements.length > 0 && (
      <ul aria-label={t('Last messages')} className="mt-2 divide-y divide-ink-4 rounded-input border border-ink-5">
        {announcements.map((announcement) => (
          <Entry key={announcement.id} announcement={announcement} />
        ))}
      </ul>
    )}
  </div>
)

function Entry({ announcement: { title, createdAt, createdBy, told, total, isFinished } }: { announcement: Announcement }) {
  const progress = t('{told} of {total} told', { told, total })
  return (
    <li className="flex flex-col gap-1 px-3.5 py-2.5 text-14">
      <span className="font-strong wrap-anywhere">{title}</span>
      <span className="text-ink-9 wrap-anywhere">
        <span className="figures">{formatTime(createdAt)}</span>
        {createdBy === null ? t(', automatic') : t(', sent by {name}', { name: actorName(createdBy) })}
      </span>
      <StatusWord tone={isFinished ? 'done' : 'waiting'}>{progress}</StatusWord>
      {!isFinished && <ProgressBar label={title} value={total === 0 ? 0 : (told / total) * 100} valueText={progress} />}
    </li>
  )
}
