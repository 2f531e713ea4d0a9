import { type Incident, INCIDENT_DAYS } from '#shared/contract/status.ts'
import { useCurrentLanguage } from '#pwa/i18n/language.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'

/** What the operator reported, newest first. */
export const IncidentsCard = ({ incidents }: { incidents: readonly Incident[] }) => (
  <Card>
    <CardHeader title={t('Incidents')} />
    {incidents.length === 0 ? (
      <p className="text-14 text-ink-10">{t('None in the last {count} days.', { count: INCIDENT_DAYS })}</p>
    ) : (
      <ul className="-mb-3 divide-y divide-ink-5 border-t border-ink-5">
        {incidents.map((incident) => (
          <Entry key={incident.id} incident={incident} />
        ))}
      </ul>
    )}
  </Card>
)

function Entry({ incident: { title, text, startedAt, updatedAt, resolvedAt } }: { incident: Incident }) {
  const isUpdated = resolvedAt === null && updatedAt > startedAt
  return (
    <li className="py-3">
      <div className="flex items-start justify-between gap-4">
        <h3 className="min-w-0 font-strong wrap-anywhere text-ink-12">
          <Words {...title} />
        </h3>
        <span className="mt-0.5 shrink-0">
          {resolvedAt ? (
            <StatusWord tone="done">{t('Resolved')}</StatusWord>
          ) : (
            <StatusWord tone="waiting">{t('Ongoing')}</StatusWord>
          )}
        </span>
      </div>
      <p className="mt-1 whitespace-pre-line text-14 wrap-anywhere text-ink-11">
        <Words {...text} />
      </p>
      <p className="figures mt-2 text-14 text-ink-9">
        {t('Since {time}', { time: formatDateTime(startedAt) })}
        <LocalTime date={startedAt} />
        {isUpdated && (
          <>
            <br />
            {t('Updated {time}', { time: formatDateTime(updatedAt) })}
          </>
        )}
        {resolvedAt && (
          <>
            <br />
            {t('Resolved {time}', { time: formatDateTime(resolvedAt) })}
          </>
        )}
      </p>
    </li>
  )
}

/** In the page's language if the operator wrote it, in English otherwise. */
function Words({ en, ko }: Incident['title']) {
  const language = useCurrentLanguage()
  return language === 'ko' && ko !== null ? <span lang="ko">{ko}</span> : <span lang="en">{en}</span>
}
