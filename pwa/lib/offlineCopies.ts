/**
 * The only responses that the service worker copies for offline use. None is personal. Literals, so that the service worker does
 * not bundle the contract; offlineCopies.test.ts compares both.
 */
export const copiedPaths: readonly string[] = [
  '/api/stats/nodes',
  '/api/settings/nodes',
  '/api/system-settings',
  '/api/config',
  '/api/status',
]

/** Paths for which the service worker never answers with the app shell. */
export const serverPaths = /^\/((api|\.well-known|healthz)(\/|$)|register\/)/

/** Header of a copy: when it was taken, ISO UTC. The server never sends it. */
export const TAKEN_AT = 'x-copy-taken-at'

export const isJson = ({ headers }: Response): boolean => (headers.get('content-type') ?? '').startsWith('application/json')

/** Whether the API did what it was asked. Captive portals and access proxies answer in its place with a page and status 200. */
export const isOurs = (response: Response): boolean => response.ok && !response.redirected && isJson(response)
