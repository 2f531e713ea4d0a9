import { z } from 'zod'
import { languages } from '../languages.ts'
import { endpoint } from './endpoint.ts'

/** The mails of an account: those it may ask for, and the language of all. Those about its money and its safety are sent always. */
const notifications = z.object({
  /** One mail on each day that paid a reward. */
  rewardDigest: z.boolean(),
  language: z.enum(languages),
})

export const getNotifications = endpoint({
  method: 'GET',
  path: '/api/user/notifications',
  access: 'user',
  response: notifications,
})

/** Changes what is named and leaves the rest. */
export const updateNotifications = endpoint({
  method: 'PATCH',
  path: '/api/user/notifications',
  access: 'user',
  body: notifications.partial().refine(({ rewardDigest, language }) => rewardDigest !== undefined || language !== undefined),
  response: notifications,
})
