import { z } from 'zod'
import { amount } from '../wire/amount.ts'
import { instant } from '../wire/instant.ts'
import { endpoint } from './endpoint.ts'

/** The payment of an account's active nodes for one day. Nodes that were frozen then and have been restored are paid later. */
export const distribution = z.object({
  id: z.uuid(),
  amount,
  /** 09:00 UTC of the day, or the time of a late payment. */
  createdAt: instant,
  /** Number of active nodes, and the reward per node. */
  activeNodes: z.int().positive(),
  xcrPerNode: amount,
})
export type Distribution = z.output<typeof distribution>

/** More than a year of days; the statement has all of them. */
export const MAX_DISTRIBUTIONS = 400

/** Newest first, at most `MAX_DISTRIBUTIONS`. */
export const listDistributions = endpoint({
  method: 'GET',
  path: '/api/xcr-distribution-logs',
  access: 'user',
  limit: 'none',
  response: z.array(distribution),
})
