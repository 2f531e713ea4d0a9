import { z } from 'zod'
import { instant } from '../wire/instant.ts'
import { endpoint } from './endpoint.ts'

export const accountSession = z.object({
  id: z.string(),
  /** Browser and system, such as "Chrome on Android". */
  device: z.string(),
  ip: z.string().nullable(),
  lastSeen: instant,
  /** The session of this request. */
  current: z.boolean(),
})
export type AccountSession = z.output<typeof accountSession>

/** The account's sessions, newest first. */
export const listSessions = endpoint({
  method: 'GET',
  path: '/api/auth/sessions',
  access: 'user',
  limit: 'none',
  response: z.array(accountSession),
})

/** Ends all other sessions. */
export const endOtherSessions = endpoint({
  method: 'DELETE',
  path: '/api/auth/sessions',
  access: 'user',
  limit: 'none',
  response: z.object({ message: z.string(), ended: z.int() }),
})
