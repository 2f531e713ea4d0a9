import { cleanupOutdatedCaches, matchPrecache, precacheAndRoute } from 'workbox-precaching'
import { NavigationRoute, registerRoute } from 'workbox-routing'
import { NetworkFirst, NetworkOnly } from 'workbox-strategies'
import { type PushScope, showPushes } from './showPushes.ts'
import { copiedPaths, isOurs, serverPaths, TAKEN_AT } from '#pwa/lib/offlineCopies.ts'

/** The part of the service worker scope in use; the DOM library has no type for it. */
interface WorkerScope extends PushScope {
  __WB_MANIFEST: { url: string; revision: string | null }[]
  skipWaiting(): Promise<void>
}
declare const self: WorkerScope

/** On a slow network the cached shell is shown after this time. */
const NAVIGATION_TIMEOUT_SECONDS = 4

// The list is made in vite.config.ts: the shell and all pages, with the FAQ, except the back office and the wallet modal.
// The network answers first, so that redirects of an access proxy and new versions get through.
// Not the manifest of the app: the server writes BRAND_NAME into it, which its revision, of the build, does not show.
precacheAndRoute(
  self.__WB_MANIFEST.filter(({ url }) => url !== 'manifest.webmanifest'),
  { directoryIndex: '', cleanURLs: false },
)
cleanupOutdatedCaches()

const network = new NetworkOnly({ networkTimeoutSeconds: NAVIGATION_TIMEOUT_SECONDS })
registerRoute(
  new NavigationRoute(
    async (context) => {
      try {
        return await network.handle(context)
      } catch {
        return (await matchPrecache('/index.html')) ?? Response.error()
      }
    },
    { denylist: [serverPaths] },
  ),
)

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.search === '' && copiedPaths.includes(url.pathname),
  new NetworkFirst({
    cacheName: 'public-figures',
    networkTimeoutSeconds: NAVIGATION_TIMEOUT_SECONDS,
    plugins: [
      {
        fetchDidSucceed: async ({ response }) => {
          if (response.ok && !isOurs(response)) throw new TypeError('A proxy answered in place of the server.')
          return response
        },
        cacheWillUpdate: async ({ response }) => (isOurs(response) ? withTakenAt(response) : null),
      },
    ],
  }),
)

// Only when the user asks for the update, so that no page reloads during a payment.
self.addEventListener('message', (event) => {
  if ((event as MessageEvent<{ type?: string }>).data?.type === 'SKIP_WAITING') void self.skipWaiting()
})

showPushes(self)

async function withTakenAt(response: Response): Promise<Response> {
  const headers = new Headers(response.headers)
  headers.set(TAKEN_AT, new Date().toISOString())
  return new Response(await response.blob(), { status: response.status, headers })
}
