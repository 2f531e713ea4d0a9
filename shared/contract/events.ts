import { z } from 'zod'

/** The event stream. Not an endpoint of the typed client: an EventSource reads it. */
export const EVENTS_PATH = '/api/events'

/** One message of the stream: paths of the calls whose answers have changed. Clients refetch exactly those. */
export const changeMessage = z.object({ keys: z.array(z.string()) })
export type ChangeMessage = z.output<typeof changeMessage>
