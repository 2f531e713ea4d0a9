import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** A browser's subscription to push messages, as `PushSubscription.toJSON()` has it. */
const pushSubscription = z.object({
  endpoint: z.string().max(1_000),
  /** The browser's public key, an uncompressed point of P-256. */
  p256dh: z.string().regex(/^[\w-]{87}$/),
  auth: z.string().regex(/^[\w-]{22}$/),
  /** Whether notifications show amounts; unchanged if absent, false at first. */
  showsDetails: z.boolean().optional(),
})

/**
 * Stores or confirms the subscription of the session's browser; a session has one. A subscription that another account had moves to
 * this one.
 */
export const savePushSubscription = endpoint({
  method: 'POST',
  path: '/api/push/subscription',
  access: 'user',
  limit: 'none',
  body: pushSubscription,
  response: z.object({ showsDetails: z.boolean() }),
  errors: ['push_service_unknown', 'too_many_subscriptions'],
})

/** Deletes the subscription of the session. */
export const deletePushSubscription = endpoint({
  method: 'DELETE',
  path: '/api/push/subscription',
  access: 'user',
  limit: 'none',
  response: z.object({ message: z.string() }),
})
