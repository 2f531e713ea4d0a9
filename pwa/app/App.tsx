import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Router } from 'wouter'
import { InLanguage } from '#pwa/i18n/InLanguage.tsx'
import { useLocation } from '#pwa/lib/router.tsx'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { CurrentPage, loadPage } from './pages.tsx'
import { Shell } from './Shell.tsx'

interface AppProps {
  queryClient: QueryClient
  /** Where it is drawn for, on the server. */
  path?: string
}

/** Everything that is on the page. */
export const App = ({ queryClient, path }: AppProps) => (
  <QueryClientProvider client={queryClient}>
    <InLanguage>
      <Router aroundNav={loadThenGo} {...(path !== undefined && { ssrPath: path })}>
        <ErrorBoundary>
          <Shell>
            <GuardedPage />
          </Shell>
        </ErrorBoundary>
      </Router>
    </InLanguage>
  </QueryClientProvider>
)

/** An error of one page is none of another. */
const GuardedPage = () => (
  <ErrorBoundary key={useLocation().pathname}>
    <CurrentPage />
  </ErrorBoundary>
)

type Go = (to: string, options?: { replace?: boolean }) => void

/** The page one is on stays until the next one can be drawn. If that one cannot be loaded, it says so itself. */
async function loadThenGo(go: Go, to: string, options?: { replace?: boolean }): Promise<void> {
  const { pathname } = new URL(to, location.href)
  await loadPage(pathname).catch(() => undefined)
  go(to, options)
  if (!options?.replace) window.scrollTo(0, 0)
}
