import { DAY, HOUR } from '#shared/dates.ts'
import type { SessionRealm } from '../tables/WebSession.ts'

/** The lifetime of a user's session since the last visit, and of an administrator's since the login. */
export const SESSION_LIFETIME: Record<SessionRealm, number> = { user: 7 * DAY, admin: 8 * HOUR }
