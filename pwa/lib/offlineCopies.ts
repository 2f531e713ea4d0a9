/**
 * The only calls of which a copy is kept for the time without a connection. Nothing that belongs to a person is among them.
 * Literals, so that the service worker need not carry the contract; offlineCopies.test.ts compares.
 */
export const copiedPaths: readonly string[] = ['/api/stats/nodes', '/api/settings/nodes', '/api/system-settings', '/api/config']

/** Paths that the service worker never answers with the page. */
export const serverPaths = /^\/(api|\.well-known|healthz)(\/|$)/

/** What the service worker tells the page when it answered with a copy. */
export interface CopyMessage {
  type: 'copy'
  path: string
  /** When the copy was taken, ISO UTC. */
  takenAt: string
}

export const isCopyMessage = (data: unknown): data is CopyMessage =>
  typeof data === 'object' && data !== null && (data as CopyMessage).type === 'copy'
