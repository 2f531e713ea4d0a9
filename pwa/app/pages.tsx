import { type ComponentType, type ReactElement, useEffect, useState } from 'react'
import { loadPart } from '#pwa/i18n/language.ts'
import { BusyPress } from '#pwa/ui/BusyPress.tsx'
import { Redirect } from '#pwa/ui/Redirect.tsx'
import { useLocation, useNavigationType } from 'react-router-dom'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { PageSpinner } from './PageSpinner.tsx'

/** Key of the page for unknown paths. */
const NOT_FOUND = '404'

/** Each page is a chunk. */
const pages: Record<string, () => Promise<ComponentType>> = {
  '/': async () => (await import('#pwa/features/dashboard/DashboardPage.tsx')).DashboardPage,
  '/purchase': async () => (await import('#pwa/features/purchase/PurchasePage.tsx')).PurchasePage,
  '/history': async () => (await import('#pwa/features/history/HistoryPage.tsx')).HistoryPage,
  '/security': async () => (await import('#pwa/features/security/SecurityPage.tsx')).SecurityPage,
  '/auth': async () => (await import('#pwa/features/auth/AuthPage.tsx')).AuthPage,
  '/about': async () => (await import('#pwa/features/about/AboutPage.tsx')).AboutPage,
  '/setup': async () => (await import('#pwa/features/setup/SetupPage.tsx')).SetupPage,
  '/admin1': async () => (await loadOffice()).AdminLoginPage,
  '/admin-panel': async () => (await loadOffice()).AdminPanelPage,
  [NOT_FOUND]: async () => (await import('./NotFoundPage.tsx')).NotFoundPage,
}

const moved: Record<string, string> = { '/admin-login': '/admin1' }

/** The back office with its catalogue. */
async function loadOffice() {
  const [office] = await Promise.all([import('#pwa/admin/AdminArea.tsx'), loadPart('office')])
  return office
}

/** Loaded pages by path. */
const loadedPages = new Map<string, ReactElement>()

/** `/purchase/` is `/purchase`. */
function placeOf(pathname: string): string {
  const place = pathname.replace(/(.)\/$/, '$1')
  return place in pages || place in moved ? place : NOT_FOUND
}

/** Loads the page of a path, unless it is loaded. */
export async function loadPage(pathname: string): Promise<void> {
  const place = placeOf(pathname)
  const load = pages[place]
  if (!load || loadedPages.has(place)) return
  const Page = await load()
  loadedPages.set(place, <Page />)
}

/** The page of the current path. The previous page stays until the next can render. */
export function CurrentPage() {
  const { pathname, key } = useLocation()
  const isPushed = useNavigationType() === 'PUSH'
  const place = placeOf(pathname)
  const isMissing = place in pages && !loadedPages.has(place)
  const [loading, setLoading] = useState<{ place: string; error?: unknown }>()
  const [shown, setShown] = useState(place)
  const isRefused = isMissing && loading?.place === place
  if (shown !== place && (!isMissing || isRefused)) setShown(place)

  useEffect(() => {
    if (!isMissing) return
    loadPage(place).then(
      () => setLoading({ place }),
      (error: unknown) => setLoading({ place, error }),
    )
  }, [isMissing, place])

  // Only for new entries: the browser restores the scroll position on Back and Forward.
  useEffect(() => {
    if (isPushed && !isMissing) window.scrollTo(0, 0)
  }, [isPushed, isMissing, key])

  // The key resets the error boundary with each page.
  return (
    <ErrorBoundary key={shown}>
      <Page place={shown} refusal={isRefused ? loading : undefined} />
      {isMissing && !isRefused && <BusyPress />}
    </ErrorBoundary>
  )
}

function Page({ place, refusal }: { place: string; refusal: { error?: unknown } | undefined }) {
  if (refusal) throw refusal.error
  if (moved[place]) return <Redirect to={moved[place]} />
  return loadedPages.get(place) ?? <PageSpinner />
}
