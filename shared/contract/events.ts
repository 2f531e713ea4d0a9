import { z } from 'zod'
import { nodeStats } from './nodes.ts'

/** The event stream. Not an endpoint of the typed client: an EventSource reads it. */
export const EVENTS_PATH = '/api/events'

/** The event stream of the back office. Changed keys below `/api/admin/` are sent to it, and only to it. */
export const ADMIN_EVENTS_PATH = '/api/admin/events'

/**
 * One message of the stream: the paths of calls whose responses have changed, which clients refetch. The sale's figures are
 * included in the message, because they change every second and thousands of clients show them. A stream of users and visitors opens with
 * a message without keys that has them.
 */
export const changeMessage = z.object({
  keys: z.array(z.string()),
  nodeStats: nodeStats.optional(),
  /**
   * The number of reservations that are decided before the account's own, sent every second while it waits for longer than a second. It never
   * grows. Null when the account no longer waits.
   */
  place: z.int().nullable().optional(),
})
export type ChangeMessage = z.output<typeof changeMessage>
