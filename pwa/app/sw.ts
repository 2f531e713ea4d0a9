import { cleanupOutdatedCaches, matchPrecache, precacheAndRoute } from 'workbox-precaching'
import { NavigationRoute, registerRoute } from 'workbox-routing'
import { NetworkFirst, NetworkOnly } from 'workbox-strategies'
import { copiedPaths, serverPaths, TAKEN_AT } from '#pwa/lib/offlineCopies.ts'

/** The part of a service worker's global scope that is used here; the DOM library has no type for it. */
interface WorkerScope extends EventTarget {
  __WB_MANIFEST: { url: string; revision: string | null }[]
  skipWaiting(): Promise<void>
}
declare const self: WorkerScope

/** A phone in a lift shows the shell after this long rather than a blank page. */
const NAVIGATION_TIMEOUT_SECONDS = 4

// The page itself is asked of the network first: an access proxy's redirect and a new version must get through.
precacheAndRoute(self.__WB_MANIFEST, { directoryIndex: '', cleanURLs: false })
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
        cacheWillUpdate: async ({ response }) => (isOurs(response) ? dated(response) : null),
      },
    ],
  }),
)

// Only when the person says so: nobody's page is reloaded in the middle of a payment.
self.addEventListener('message', (event) => {
  if ((event as MessageEvent<{ type?: string }>).data?.type === 'SKIP_WAITING') void self.skipWaiting()
})

/** A hotel's portal and an access proxy answer in our place, with a page of theirs and a cheerful 200. */
const isOurs = (response: Response): boolean =>
  response.ok && !response.redirected && (response.headers.get('content-type') ?? '').startsWith('application/json')

async function dated(response: Response): Promise<Response> {
  const headers = new Headers(response.headers)
  headers.set(TAKEN_AT, new Date().toISOString())
  return new Response(await response.blob(), { status: response.status, headers })
}
