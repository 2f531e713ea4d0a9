/**
 * The only calls of which the service worker keeps a copy for the time without a connection. Nothing that belongs to a person is
 * among them. Literals, so that the service worker need not carry the contract; offlineCopies.test.ts compares.
 */
export const copiedPaths: readonly string[] = ['/api/stats/nodes', '/api/settings/nodes', '/api/system-settings', '/api/config']

/** Paths that the service worker never answers with the page. */
export const serverPaths = /^\/(api|\.well-known|healthz)(\/|$)/

/** On an answer that is a copy: when it was taken, ISO UTC. The server never sends it. */
export const TAKEN_AT = 'x-copy-taken-at'
