import type { SessionRealm } from '../tables/WebSession.ts'

/** Whose session a call may use: the administrator's under `/api/admin/`, the user's elsewhere. No call has both. */
export const sessionRealmOf = (path: string): SessionRealm => (path.startsWith('/api/admin/') ? 'admin' : 'user')
