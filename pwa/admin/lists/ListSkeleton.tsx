import { t } from '#pwa/i18n/t.ts'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'

/** Placeholder rows. `what` names the list for screen readers: "users". */
export const ListSkeleton = ({ what, rows = 8 }: { what: string; rows?: number }) => (
  <div
    role="status"
    className="flex flex-col gap-3 md:gap-0 md:overflow-hidden md:rounded-card md:border md:border-ink-5 md:bg-surface"
  >
    <span className="sr-only">{t('Loading {what}', { what })}</span>
    <Skeleton className="h-9 rounded-none! bg-ink-3! max-md:hidden" />
    {Array.from({ length: rows }, (_, row) => (
      <div key={row} className="md:border-t md:border-ink-4 md:px-4 md:py-2.5">
        <Skeleton className="h-40 rounded-card md:h-4 md:rounded-small" />
      </div>
    ))}
  </div>
)
