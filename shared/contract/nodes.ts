import { z } from 'zod'
import { amount } from '../wire/amount.ts'
import { instant } from '../wire/instant.ts'
import { endpoint } from './endpoint.ts'

export const nodeStats = z.object({
  total: z.int(),
  /** Confirmed, bonus and currently reserved nodes. */
  totalSold: z.int(),
  /** The parts of `totalSold`. */
  paid: z.int().optional(),
  bonus: z.int().optional(),
  reserved: z.int().optional(),
  remaining: z.int(),
  /** Percent sold, 0 to 100. */
  progress: z.number(),
})
export type NodeStats = z.output<typeof nodeStats>

export const getNodeStats = endpoint({
  method: 'GET',
  path: '/api/stats/nodes',
  access: 'public',
  limit: 'none',
  response: nodeStats,
})

export const nodeKinds = ['paid', 'bonus'] as const

/** Node numbers per page: page 0 has numbers 1 to 1,000. */
export const NODES_PER_PAGE = 1_000

/**
 * Consecutive nodes that were allocated on one UTC day, all bought or all bonus. Public, so it names no account; runs span
 * accounts, so they do not reveal the size of a purchase.
 */
export const nodeRun = z.object({ first: z.int(), count: z.int(), kind: z.enum(nodeKinds), day: z.iso.date() })
export type NodeRun = z.output<typeof nodeRun>

/** The allocated nodes of one page, in order. A sold number without a run is reserved. */
export const getNodePage = endpoint({
  method: 'GET',
  path: '/api/stats/nodes/pages/:page',
  access: 'public',
  limit: 'none',
  params: z.object({ page: z.coerce.number().int() }),
  response: z.array(nodeRun),
})

export const userNodes = z.object({
  /** Active nodes times the current rate. */
  totalDailyXcr: amount,
  activeNodes: z.int(),
  pendingNodes: z.int(),
  currentXcrPerNode: amount,
  /** First payout of the first pending nodes; absent while nodes already earn, or without any nodes. */
  firstRewardAt: instant.nullish(),
})
export type UserNodes = z.output<typeof userNodes>

export const getUserNodes = endpoint({
  method: 'GET',
  path: '/api/user/nodes',
  access: 'user',
  limit: 'none',
  response: userNodes,
})
