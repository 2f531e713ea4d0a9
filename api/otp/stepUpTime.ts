import { MINUTE } from '#shared/dates.ts'

/** How long after an authenticator code what it was shown for may begin. */
export const STEP_UP_TIME = { purchase: 30 * MINUTE, withdrawal: 10 * MINUTE } as const
