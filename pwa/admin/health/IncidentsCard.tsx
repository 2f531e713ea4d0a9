import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listIncidents, type ReportedIncident, resolveIncident, startIncident } from '#shared/contract/admin/incidents.ts'
import { t } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { api } from '#pwa/lib/api.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { ConfirmDialog } from '#pwa/ui/ConfirmDialog.tsx'
import { NavLink } from '#pwa/ui/Link.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { formatTime } from '../zone/officeZone.ts'
import { ForRole } from '../ForRole.tsx'
import { ListError } from '../lists/ListError.tsx'
import { incidentsQuery } from '../queries.ts'
import { actorName } from '../settings/actorName.ts'
import { useRowDecision } from '../useRowDecision.ts'
import { IncidentDialog } from './IncidentDialog.tsx'

type Asked = { type: 'start' } | { type: 'update' | 'resolve'; incident: ReportedIncident }

/** What the status page says of incidents. */
export function IncidentsCard() {
  const { data, error, isFetching, refetch } = useQuery(incidentsQuery)
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const present = (incident: ReportedIncident) => data?.incidents.find(({ id }) => id === incident.id)
  return (
    <Card>
      <CardHeader title={t('Incidents on the status page')}>
        <ForRole of={startIncident}>
          <Button variant="secondary" onClick={() => setAsked({ type: 'start' })}>
            {t('Report an incident')}
          </Button>
        </ForRole>
      </CardHeader>
      <p className="mb-4 text-14 text-ink-10">
        <T
          text="Delays of payments, rewards and payouts are on the <page>status page</page> by themselves. Here you say why, and what to do."
          page={(text) => (
            <NavLink to="/status" className="text-accent underline underline-offset-4 hover:text-accent-strong">
              {text}
            </NavLink>
          )}
        />
      </p>
      {error && (
        <ListError
          title={t("Couldn't load the incidents")}
          error={error}
          isFetching={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {!data && !error && <Skeleton className="h-16" />}
      {data?.incidents.length === 0 && <p className="text-14 text-ink-9">{t('There was none within 90 days.')}</p>}
      {data && data.incidents.length > 0 && (
        <ul aria-label={t('Incidents on the status page')} className="divide-y divide-ink-4 rounded-input border border-ink-5">
          {data.incidents.map((incident) => (
            <Row key={incident.id} incident={incident} onAsk={(type) => setAsked({ type, incident })} />
          ))}
        </ul>
      )}
      {asked?.type === 'start' && <IncidentDialog onClose={close} />}
      {asked?.type === 'update' && <IncidentDialog incident={asked.incident} present={present(asked.incident)} onClose={close} />}
      {asked?.type === 'resolve' && <ResolveDialog incident={asked.incident} onClose={close} />}
    </Card>
  )
}

interface RowProps {
  incident: ReportedIncident
  onAsk: (type: 'update' | 'resolve') => void
}

function Row({ incident: { title, text, startedAt, resolvedAt, createdBy }, onAsk }: RowProps) {
  return (
    <li className="flex flex-col gap-x-4 gap-y-2 px-3.5 py-2.5 text-14 md:flex-row md:items-start md:justify-between">
      <div className="min-w-0">
        <p className="font-strong wrap-anywhere">{title.en}</p>
        <p className="whitespace-pre-line wrap-anywhere text-ink-11">{text.en}</p>
        <p className="figures mt-1 wrap-anywhere text-ink-9">
          {formatTime(startedAt)}
          {t(', reported by {name}', { name: actorName(createdBy) })}
        </p>
      </div>
      <div className="flex shrink-0 flex-wrap items-center gap-2">
        <StatusWord tone={resolvedAt ? 'done' : 'waiting'}>{resolvedAt ? t('Resolved') : t('Ongoing')}</StatusWord>
        <ForRole of={startIncident}>
          <Button variant="quiet" aria-label={t('Edit “{title}”', { title: title.en })} onClick={() => onAsk('update')}>
            {t('Edit')}
          </Button>
          {!resolvedAt && (
            <Button variant="secondary" aria-label={t('Resolve “{title}”', { title: title.en })} onClick={() => onAsk('resolve')}>
              {t('Resolve')}
            </Button>
          )}
        </ForRole>
      </div>
    </li>
  )
}

function ResolveDialog({ incident: { id, title }, onClose }: { incident: ReportedIncident; onClose: () => void }) {
  const resolve = useRowDecision({
    decide: (params: { id: string }) => api(resolveIncident, { params }),
    done: t('Incident Resolved'),
    failed: t('The incident was not resolved'),
    refreshes: [listIncidents.path],
    onSettled: onClose,
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Resolve “{title}”?', { title: title.en })}
      description={t(
        "The status page shows it as resolved for 90 days. It can't be reopened, but its text can still be changed.",
      )}
      confirmLabel={t('Resolve')}
      pendingLabel={t('Resolving...')}
      isPending={resolve.isPending}
      isHarmless
      onConfirm={() => resolve.mutate({ id })}
    />
  )
}
