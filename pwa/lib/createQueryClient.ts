import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { redirectIfUnauthorized } from './unauthorized.ts'

/** The defaults of the specification: never stale, no retries, no automatic refetch. The event stream announces changes. */
export function createQueryClient(): QueryClient {
  const onError = (error: Error) => redirectIfUnauthorized(error)
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
        // Offline, requests still go to the service worker, which has copies of the public data.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}
