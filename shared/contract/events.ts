import { z } from 'zod'
import { nodeStats } from './nodes.ts'

/** The event stream. Not an endpoint of the typed client: an EventSource reads it. */
export const EVENTS_PATH = '/api/events'

/**
 * One message of the stream: paths of the calls whose answers have changed. Clients refetch exactly those, but for the figures of the sale:
 * thousands look at them while they change every second, so they come along.
 */
export const changeMessage = z.object({ keys: z.array(z.string()), nodeStats: nodeStats.optional() })
export type ChangeMessage = z.output<typeof changeMessage>
