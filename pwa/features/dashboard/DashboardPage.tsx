import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { LOGIN_MARKER } from '#shared/sale.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { useSearch } from '#pwa/lib/useSearch.ts'
import { AccountError } from '#pwa/ui/AccountError.tsx'
import { Redirect } from '#pwa/ui/Redirect.tsx'
import { usePageTitle } from '#pwa/ui/usePageTitle.ts'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { DashboardSkeleton } from './DashboardSkeleton.tsx'
import { VisitorView } from './VisitorView.tsx'

const Faq = lazyPart(async () => (await import('./Faq.tsx')).Faq)
const RewardFilm = lazyPart(async () => (await import('./RewardFilm.tsx')).RewardFilm)
const HolderView = lazyPart(async () => (await import('./HolderView.tsx')).HolderView)

// Below the fold: server-rendered as well, and hydrated when their chunks load. Static parts do not render again before that.
const film = (
  <Suspense fallback={null}>
    <RewardFilm />
  </Suspense>
)
const faq = (
  <Suspense fallback={null}>
    <Faq />
  </Suspense>
)

export function DashboardPage() {
  usePageTitle(t('Dashboard'))
  const [search] = useSearch()
  const { data: user, isPending } = useQuery(authUserQuery)

  if (search.get('login') === LOGIN_MARKER) return <Redirect to="/auth" />
  return (
    <main id="content" className="page py-6 desk:py-12">
      <div className="not-empty:mb-6">
        <AccountError />
      </div>
      {isPending && <DashboardSkeleton />}
      {/* If the user cannot be identified, the public view is shown. */}
      {!isPending && !user && <VisitorView />}
      {user && (
        <Suspense fallback={<DashboardSkeleton />}>
          <HolderView user={user} />
        </Suspense>
      )}
      {!isPending && film}
      {faq}
    </main>
  )
}
