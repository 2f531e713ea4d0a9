import { useQuery } from '@tanstack/react-query'
import { t } from '#pwa/i18n/t.ts'
import { statusQuery } from '#pwa/lib/queries.ts'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { TryAgain } from '#pwa/ui/TryAgain.tsx'
import { IncidentsCard } from './IncidentsCard.tsx'
import { PartsCard } from './PartsCard.tsx'
import { VerdictCard } from './VerdictCard.tsx'

/** What runs on time and what does not, for everybody. */
export function StatusPage() {
  const { data: status, isPending, isFetching, refetch } = useQuery(statusQuery)
  const hasOpen = status?.incidents.some(({ resolvedAt }) => resolvedAt === null)
  return (
    <Page title={t('Service status')} lead={t('Whether payments, rewards and payouts are on time.')} isNarrow>
      <div className="flex flex-col gap-4">
        {isPending && (
          <>
            <Skeleton className="h-28 rounded-card" />
            <Skeleton className="h-80 rounded-card" />
          </>
        )}
        {!status && !isPending && (
          <Notice
            tone="warning"
            title={t("Couldn't load the service status")}
            action={<TryAgain isTrying={isFetching} onPress={() => void refetch()} />}
          >
            {t('Payments already sent are safe.')}
          </Notice>
        )}
        {status && (
          <>
            <VerdictCard status={status} />
            {hasOpen && <IncidentsCard incidents={status.incidents} />}
            <PartsCard status={status} />
            {!hasOpen && <IncidentsCard incidents={status.incidents} />}
          </>
        )}
      </div>
    </Page>
  )
}
