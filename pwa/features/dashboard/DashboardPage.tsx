import { useQuery } from '@tanstack/react-query'
import { t } from '#pwa/i18n/t.ts'
import { Navigate, useSearchParams } from '#pwa/lib/router.tsx'
import { LOGIN_MARKER } from '#shared/sale.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { AccountError } from '#pwa/ui/AccountError.tsx'
import { usePageTitle } from '#pwa/ui/usePageTitle.ts'
import { DashboardSkeleton } from './DashboardSkeleton.tsx'
import { Faq } from './Faq.tsx'
import { FieldFilm } from './FieldFilm.tsx'
import { HolderView } from './HolderView.tsx'
import { VisitorView } from './VisitorView.tsx'

export function DashboardPage() {
  usePageTitle(t('Dashboard'))
  const [search] = useSearchParams()
  const { data: user, isPending } = useQuery(authUserQuery)

  if (search.get('login') === LOGIN_MARKER) return <Navigate to="/auth" replace />
  return (
    <main id="content" className="page py-6 desk:py-12">
      <div className="not-empty:mb-6">
        <AccountError />
      </div>
      {isPending && <DashboardSkeleton />}
      {/* Who cannot be recognised sees at least what everybody may see. */}
      {!isPending && !user && <VisitorView />}
      {user && <HolderView user={user} />}
      {!isPending && <FieldFilm />}
      <Faq />
    </main>
  )
}
