import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { InLanguage } from '#pwa/i18n/InLanguage.tsx'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { CurrentPage } from './pages.tsx'
import { Shell } from './Shell.tsx'

/** The whole page. Needs a router around it. */
export const App = ({ queryClient }: { queryClient: QueryClient }) => (
  <QueryClientProvider client={queryClient}>
    <InLanguage
      render={() => (
        <ErrorBoundary>
          <Shell>
            <CurrentPage />
          </Shell>
        </ErrorBoundary>
      )}
    />
  </QueryClientProvider>
)
