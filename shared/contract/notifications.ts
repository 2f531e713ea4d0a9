import { z } from 'zod'
import { languages } from '../languages.ts'
import { endpoint } from './endpoint.ts'

/** An account's email settings: the optional emails, and the language of all. Emails about money and security are always sent. */
const notifications = z.object({
  /** One email on each day that paid a reward. */
  rewardDigest: z.boolean(),
  language: z.enum(languages),
})

export const getNotifications = endpoint({
  method: 'GET',
  path: '/api/user/notifications',
  access: 'user',
  limit: 'none',
  response: notifications,
})

/** Changes the given fields and keeps the others. */
export const updateNotifications = endpoint({
  method: 'PATCH',
  path: '/api/user/notifications',
  access: 'user',
  limit: 'none',
  body: notifications.partial().refine(({ rewardDigest, language }) => rewardDigest !== undefined || language !== undefined),
  response: notifications,
})
