import { Link } from '#pwa/ui/Link.tsx'
import { t, translate } from '#pwa/i18n/t.ts'
import { useSearch } from '#pwa/lib/useSearch.ts'
import { WaitingBadge } from '../waiting/WaitingBadge.tsx'
import { scrollToTabs } from './scrollToTabs.ts'
import { paramsOfTab } from './paramsOfTab.ts'
import { type Operation, operations } from './operations.tsx'

interface OperationsNavProps {
  current: Operation | null
  /** What waits in each. */
  counts: Partial<Record<Operation, number>>
}

/** Links to the operations views, above the five tabs, beside which they would not fit. */
export const OperationsNav = ({ current, counts }: OperationsNavProps) => {
  const [search] = useSearch()
  return (
    <nav aria-label={t('Operations')} className="flex flex-wrap items-center gap-x-6">
      {operations.map(({ value, label, Icon }) => (
        <Link
          key={value}
          to={`/admin-panel?${paramsOfTab(search, value)}`}
          onClick={scrollToTabs}
          aria-current={value === current ? 'page' : undefined}
          className="inline-flex min-h-11 items-center gap-1.5 border-b-2 border-transparent text-14 font-strong text-ink-9 transition-colors hover:text-ink-12 focus-visible:-outline-offset-2 aria-[current]:border-accent aria-[current]:text-ink-12"
        >
          <Icon size={16} aria-hidden /> {translate(label)}
          <WaitingBadge count={counts[value]} />
        </Link>
      ))}
    </nav>
  )
}
