import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { InLanguage } from '#pwa/i18n/InLanguage.tsx'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { CurrentPage } from './pages.tsx'
import { Shell } from './Shell.tsx'

/** Everything that is on the page. Stands in a router. */
export const App = ({ queryClient }: { queryClient: QueryClient }) => (
  <QueryClientProvider client={queryClient}>
    <InLanguage>
      <ErrorBoundary>
        <Shell>
          <CurrentPage />
        </Shell>
      </ErrorBoundary>
    </InLanguage>
  </QueryClientProvider>
)
