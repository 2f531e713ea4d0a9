import { t } from '#pwa/i18n/t.ts'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'

/** The placeholder until the user is known. */
export function DashboardSkeleton() {
  return (
    <div role="status" aria-label={t('Loading')}>
      <Skeleton className="h-11 w-3/4 max-w-[520px]" />
      <Skeleton className="mt-3 h-6 w-1/2 max-w-[320px]" />
      <Skeleton className="mt-8 aspect-[2/1] w-full rounded-card" />
    </div>
  )
}
