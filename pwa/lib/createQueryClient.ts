import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { leaveIfUnauthorized } from './unauthorized.ts'

/** The defaults that the specification prints: never stale, never tried again, never read again by itself. The event stream says what changed. */
export function createQueryClient(): QueryClient {
  const onError = (error: Error) => leaveIfUnauthorized(error)
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        refetchInterval: false,
        // Offline the service worker is asked all the same: it has copies of the public figures.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}
