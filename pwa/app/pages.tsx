import { type FunctionComponent, memo, type NamedExoticComponent, useEffect, useState } from 'react'
import type { Language } from '#shared/languages.ts'
import { loadPart, useCurrentLanguage } from '#pwa/i18n/language.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'
import { BusyPress } from '#pwa/ui/BusyPress.tsx'
import { Redirect } from '#pwa/ui/Redirect.tsx'
import { focusContent } from '#pwa/ui/returnFocus.ts'
import { useLocation, useNavigationType } from 'react-router-dom'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { OfflinePage } from './OfflinePage.tsx'
import { PageSpinner } from './PageSpinner.tsx'

/** Key of the page for unknown paths. */
const NOT_FOUND = '404'

/** Keys of what replaces a page that could not be loaded. */
const [OFFLINE, FAILED] = ['offline', 'failed']

/** Key of the back office's pages of one account each, which read the id from the path. */
const PERSON = '/admin-panel/users/:id'

/** Each page is a chunk. */
const pages: Record<string, () => Promise<FunctionComponent>> = {
  '/': async () => (await import('#pwa/features/dashboard/DashboardPage.tsx')).DashboardPage,
  '/purchase': async () => (await import('#pwa/features/purchase/PurchasePage.tsx')).PurchasePage,
  '/history': async () => (await import('#pwa/features/history/HistoryPage.tsx')).HistoryPage,
  '/inbox': async () => (await import('#pwa/features/inbox/InboxPage.tsx')).InboxPage,
  '/security': async () => (await import('#pwa/features/security/SecurityPage.tsx')).SecurityPage,
  '/freeze': async () => (await import('#pwa/features/freeze/FreezePage.tsx')).FreezePage,
  '/auth': async () => (await import('#pwa/features/auth/AuthPage.tsx')).AuthPage,
  '/about': async () => (await import('#pwa/features/about/AboutPage.tsx')).AboutPage,
  '/status': async () => (await import('#pwa/features/status/StatusPage.tsx')).StatusPage,
  '/register': async () => (await loadRegister(import('#pwa/features/register/RegisterPage.tsx'))).RegisterPage,
  '/proof': async () => (await loadRegister(import('#pwa/features/proof/ProofPage.tsx'))).ProofPage,
  '/setup': async () => (await import('#pwa/features/setup/SetupPage.tsx')).SetupPage,
  '/admin1': async () => (await loadOffice()).AdminLoginPage,
  '/admin-panel': async () => (await loadOffice()).AdminPanelPage,
  [PERSON]: async () => (await loadOffice()).PersonPage,
  [NOT_FOUND]: async () => (await import('./NotFoundPage.tsx')).NotFoundPage,
}

const redirects: Record<string, string> = { '/admin-login': '/admin1' }

/** The back office with its catalogue. */
async function loadOffice() {
  const [office] = await Promise.all([import('#pwa/admin/AdminArea.tsx'), loadPart('office')])
  return office
}

/** A page of the register with its catalogue. */
async function loadRegister<Module>(page: Promise<Module>): Promise<Module> {
  const [module] = await Promise.all([page, loadPart('register')])
  return module
}

interface PageProps {
  /** No page reads it: it renders the page again when the language changes. */
  language: Language
}

/**
 * Loaded pages by path. They are memoized and have no other property: a page that is being left, maybe by a logout, does not render again,
 * and in another language one is rendered again but stays mounted, with what was typed.
 */
const loadedPages = new Map<string, NamedExoticComponent<PageProps>>()

/** Undefined while the page is not loaded. */
function renderLoaded(path: string, language: Language) {
  const LoadedPage = loadedPages.get(path)
  return LoadedPage && <LoadedPage language={language} />
}

/** `/purchase/` is `/purchase`. */
function knownPath(pathname: string): string {
  const path = pathname.replace(/(.)\/$/, '$1')
  if (/^\/admin-panel\/users\/[^/]+$/.test(path)) return PERSON
  return path in pages || path in redirects ? path : NOT_FOUND
}

/** Loads the page of a path, unless it is loaded. */
export async function loadPage(pathname: string): Promise<void> {
  const path = knownPath(pathname)
  const load = pages[path]
  if (!load || loadedPages.has(path)) return
  loadedPages.set(path, memo<PageProps>(await load()))
}

/** The page of the current path. The previous page stays until the next can render. */
export function CurrentPage() {
  const { pathname, key } = useLocation()
  const type = useNavigationType()
  const isOffline = useIsOffline()
  const [wasOffline, setWasOffline] = useState(isOffline)
  const path = knownPath(pathname)
  const isMissing = path in pages && !loadedPages.has(path)
  const [loading, setLoading] = useState<{ path: string; error?: unknown }>()
  const [shown, setShown] = useState(path)
  const hasFailed = isMissing && loading?.path === path
  if (wasOffline !== isOffline) {
    setWasOffline(isOffline)
    // Its chunks may be loaded now.
    if (wasOffline) setLoading(undefined)
  }
  if (shown !== path && (!isMissing || hasFailed)) setShown(path)

  useEffect(() => {
    if (!isMissing || hasFailed) return
    loadPage(path).then(
      () => setLoading({ path }),
      (error: unknown) => setLoading({ path, error }),
    )
  }, [isMissing, hasFailed, path])

  // Only for new entries: the browser restores the scroll position on Back and Forward.
  useEffect(() => {
    if (type === 'PUSH' && !isMissing) window.scrollTo(0, 0)
  }, [type, isMissing, key])

  // What was pressed may be gone with its page. Not on the first page, which begins with the link that skips to the content.
  useEffect(() => {
    if (type !== 'POP' && !isMissing && document.activeElement === document.body) focusContent()
  }, [type, isMissing, key])

  // The key resets the error boundary with each page, and when a failed one is loaded again.
  return (
    <ErrorBoundary key={hasFailed ? (isOffline ? OFFLINE : FAILED) : shown}>
      {hasFailed && isOffline ? <OfflinePage /> : <Page path={shown} failure={hasFailed ? loading : undefined} />}
      {isMissing && !hasFailed && <BusyPress />}
    </ErrorBoundary>
  )
}

function Page({ path, failure }: { path: string; failure: { error?: unknown } | undefined }) {
  const language = useCurrentLanguage()
  if (failure) throw failure.error
  if (redirects[path]) return <Redirect to={redirects[path]} />
  return renderLoaded(path, language) ?? <PageSpinner />
}
