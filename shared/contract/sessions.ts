import { z } from 'zod'
import { instant } from '../wire/instant.ts'
import { endpoint } from './endpoint.ts'

export const accountSession = z.object({
  id: z.string(),
  /** Browser and system, such as "Chrome on Android". */
  device: z.string(),
  ip: z.string().nullable(),
  lastSeen: instant,
  /** The one that asks. */
  current: z.boolean(),
})
export type AccountSession = z.output<typeof accountSession>

/** Where the account is logged in, the latest first. */
export const listSessions = endpoint({
  method: 'GET',
  path: '/api/auth/sessions',
  access: 'user',
  response: z.array(accountSession),
})

/** Logs out everywhere else. */
export const endOtherSessions = endpoint({
  method: 'DELETE',
  path: '/api/auth/sessions',
  access: 'user',
  response: z.object({ message: z.string(), ended: z.int() }),
})
