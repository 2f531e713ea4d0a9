import { Navigate, useSearchParams } from 'react-router-dom'
import { LOGIN_MARKER } from '#shared/sale.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { usePageTitle } from '#pwa/ui/usePageTitle.ts'
import { DashboardSkeleton } from './DashboardSkeleton.tsx'
import { Faq } from './Faq.tsx'
import { HolderView } from './HolderView.tsx'
import { VisitorView } from './VisitorView.tsx'

export function DashboardPage() {
  usePageTitle('Dashboard')
  const [search] = useSearchParams()
  const user = useAuthUser()

  if (search.get('login') === LOGIN_MARKER) return <Navigate to="/auth" replace />
  return (
    <main id="content" className="page py-6 desk:py-12">
      {user === undefined && <DashboardSkeleton />}
      {user === null && <VisitorView />}
      {user && <HolderView user={user} />}
      <Faq />
    </main>
  )
}
