import { z } from 'zod'
import { amount } from '../../wire/amount.ts'
import { instant } from '../../wire/instant.ts'
import { endpoint, everyRole } from '../endpoint.ts'
import { isTokenAmount } from '../../settingRules.ts'
import { settingKeys } from '../../settings.ts'
import { decisionBody, refusedProofs } from './proof.ts'

export const adminStats = z.object({
  totalUsers: z.int(),
  /** Paid and bonus nodes; reserved ones do not count. */
  totalNodesSold: z.int(),
  paidNodesSold: z.int(),
  bonusNodesGiven: z.int(),
  totalRevenue: amount,
  pendingReviews: z.int(),
  /** Everything that waits for an administrator, as `total` of `getWaiting`. */
  allWaiting: z.int(),
  vestingStartDate: instant.nullable(),
})
export type AdminStats = z.output<typeof adminStats>

export const getAdminStats = endpoint({
  method: 'GET',
  path: '/api/admin/stats',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  response: adminStats,
})

const done = z.object({ message: z.string() })

export const startVesting = endpoint({
  method: 'POST',
  path: '/api/admin/vesting/start',
  access: 'admin',
  roles: [],
  limit: 'none',
  response: done,
  idempotent: true,
  errors: ['vesting_conflict'],
})

export const resetVesting = endpoint({
  method: 'POST',
  path: '/api/admin/vesting/reset',
  access: 'admin',
  roles: [],
  approvers: [],
  limit: 'none',
  body: decisionBody,
  response: done,
  idempotent: true,
  errors: ['vesting_conflict', ...refusedProofs],
})

/**
 * One setting; each key has its own rule (`shared/settingRules.ts`). Returns the stored form of the value. A save that names the value it
 * `replaces`, as its page shows it, is refused if another administrator has changed that meanwhile; `details.value` is then the present one.
 */
export const changeSystemSetting = endpoint({
  method: 'POST',
  path: '/api/admin/system-settings',
  access: 'admin',
  roles: [],
  approvers: [],
  limit: 'none',
  body: decisionBody.extend({
    key: z.enum(settingKeys),
    value: z.string().trim().max(200),
    replaces: z.string().trim().max(200).optional(),
  }),
  response: done.extend({ key: z.enum(settingKeys), value: z.string() }),
  errors: ['value_changed', ...refusedProofs],
})

const payoutCap = z.object({
  /** Null: none. It changes with a restart only. */
  environment: amount.nullable(),
  /** Null: none. The lower one of both counts. */
  panel: amount.nullable(),
  /** What was signed within the period that ends now. */
  signed: amount,
})
export type PayoutPeriod = 'hour' | 'day'
const payoutCaps = z.object({ hour: payoutCap, day: payoutCap })
export type PayoutCaps = z.output<typeof payoutCaps>

export const getPayoutCaps = endpoint({
  method: 'GET',
  path: '/api/admin/payout-caps',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  response: payoutCaps,
})

/** Sets a cap of the panel, at most the environment's, or removes it. It counts from the answer on. `replaces` is as for a setting. */
export const changePayoutCap = endpoint({
  method: 'POST',
  path: '/api/admin/payout-caps',
  access: 'admin',
  roles: [],
  approvers: [],
  limit: 'none',
  body: decisionBody.extend({
    period: z.enum(['hour', 'day']),
    cap: amount.refine(isTokenAmount).nullable(),
    replaces: amount.nullable().optional(),
  }),
  response: payoutCaps,
  errors: ['value_changed', ...refusedProofs],
})

export const rewardRate = z.object({
  rate: amount,
  /** Product time from which it is in force; rewards at or after it use it. */
  effectiveFrom: instant,
  /** As in the audit log; null for the initial rate. */
  setBy: z.string().nullable(),
  /** The next run uses this rate. */
  isNext: z.boolean(),
})
export type RewardRate = z.output<typeof rewardRate>

/** Newest first, including scheduled ones. */
export const listRewardRates = endpoint({
  method: 'GET',
  path: '/api/admin/reward-rates',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  response: z.array(rewardRate),
})

/**
 * Takes effect now unless a later time is given: days already paid keep their rate. Returns all rates. `replaces` is as for a setting: the
 * rate at that time.
 */
export const scheduleRewardRate = endpoint({
  method: 'POST',
  path: '/api/admin/reward-rates',
  access: 'admin',
  roles: [],
  approvers: [],
  limit: 'none',
  body: decisionBody.extend({ rate: amount, effectiveFrom: instant.optional(), replaces: amount.optional() }),
  response: z.array(rewardRate),
  idempotent: true,
  errors: ['value_changed', ...refusedProofs],
})

const point = z.object({ date: z.iso.date() })

/** Figures by UTC day, oldest first, without gaps. */
export const getAdminCharts = endpoint({
  method: 'GET',
  path: '/api/admin/charts',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  query: z.object({ days: z.enum(['30', '90', '365']).default('30') }),
  response: z.object({
    sales: z.array(point.extend({ nodes: z.int(), revenueUsdt: amount })),
    xcr: z.array(point.extend({ withdrawn: amount, rewarded: amount })),
    supply: z.object({ total: z.int(), paid: z.int(), bonus: z.int(), held: z.int() }),
  }),
})

export const healthCheck = z.object({
  name: z.string(),
  ok: z.boolean(),
  /** The finding in one line. */
  value: z.string(),
  /** Advice for a check that fails or `waits`. */
  advice: z.string().nullable(),
  /** Something waits for a decision. The check may pass nevertheless, if there is time. */
  waits: z.boolean().optional(),
})
export type HealthCheck = z.output<typeof healthCheck>

export const getHealth = endpoint({
  method: 'GET',
  path: '/api/admin/health',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  response: z.object({ at: instant, checks: z.array(healthCheck) }),
})
