import type { SessionRealm } from '../tables/WebSession.ts'

/** The realm whose session a path uses: administrators under `/api/admin/`, users elsewhere. No path uses both. */
export const sessionRealmOf = (path: string): SessionRealm => (path.startsWith('/api/admin/') ? 'admin' : 'user')
