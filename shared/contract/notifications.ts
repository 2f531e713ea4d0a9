import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** The mails an account may ask for. Those about its money and its safety are sent always. */
const notifications = z.object({
  /** One mail on each day that paid a reward. */
  rewardDigest: z.boolean(),
})
export type Notifications = z.output<typeof notifications>

export const getNotifications = endpoint({
  method: 'GET',
  path: '/api/user/notifications',
  access: 'user',
  response: notifications,
})

export const updateNotifications = endpoint({
  method: 'PATCH',
  path: '/api/user/notifications',
  access: 'user',
  body: notifications,
  response: notifications,
})
