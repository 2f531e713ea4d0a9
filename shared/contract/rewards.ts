import { z } from 'zod'
import { amount } from '../wire/amount.ts'
import { instant } from '../wire/instant.ts'
import { endpoint } from './endpoint.ts'

/** What an account's active nodes were paid for one day: on that day, or later if they were frozen then and have been restored. */
export const distribution = z.object({
  id: z.uuid(),
  amount,
  /** The day's 09:00 UTC, or when the missed day was paid. */
  createdAt: instant,
  /** How many nodes were active then, and what each earned. */
  activeNodes: z.int().positive(),
  xcrPerNode: amount,
})
export type Distribution = z.output<typeof distribution>

/** More than a year of days; the statement has all of them. */
export const DISTRIBUTIONS_LISTED = 400

/** Latest first, at most `DISTRIBUTIONS_LISTED`. */
export const listDistributions = endpoint({
  method: 'GET',
  path: '/api/xcr-distribution-logs',
  access: 'user',
  response: z.array(distribution),
})
