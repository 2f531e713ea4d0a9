import { z } from 'zod'
import { amount } from '../../wire/amount.ts'
import { instant } from '../../wire/instant.ts'
import { endpoint } from '../endpoint.ts'
import { settingKeys } from '../../settings.ts'

export const adminStats = z.object({
  totalUsers: z.int(),
  /** Paid and bonus; what is merely held does not count. */
  totalNodesSold: z.int(),
  paidNodesSold: z.int(),
  bonusNodesGiven: z.int(),
  totalRevenue: amount,
  pendingReviews: z.int(),
  vestingStartDate: instant.nullable(),
})
export type AdminStats = z.output<typeof adminStats>

export const getAdminStats = endpoint({ method: 'GET', path: '/api/admin/stats', access: 'admin', response: adminStats })

const done = z.object({ message: z.string() })

export const startVesting = endpoint({
  method: 'POST',
  path: '/api/admin/vesting/start',
  access: 'admin',
  response: done,
  idempotent: true,
  errors: ['vesting_conflict'],
})

export const resetVesting = endpoint({
  method: 'POST',
  path: '/api/admin/vesting/reset',
  access: 'admin',
  response: done,
  idempotent: true,
  errors: ['vesting_conflict'],
})

/** One setting; each key has its own rule (`shared/settingRules.ts`). Answers the form in which the value is kept. */
export const changeSystemSetting = endpoint({
  method: 'POST',
  path: '/api/admin/system-settings',
  access: 'admin',
  body: z.object({ key: z.enum(settingKeys), value: z.string().trim().max(200) }),
  response: done.extend({ key: z.enum(settingKeys), value: z.string() }),
})

export const rewardRate = z.object({
  rate: amount,
  /** Product time from which it is in force; the runs at or after it use it. */
  effectiveFrom: instant,
  /** As in the audit log; null where it came with the installation. */
  setBy: z.string().nullable(),
  /** The one that the next run uses. */
  isNext: z.boolean(),
})
export type RewardRate = z.output<typeof rewardRate>

/** Newest first, planned ones included. */
export const listRewardRates = endpoint({
  method: 'GET',
  path: '/api/admin/reward-rates',
  access: 'admin',
  response: z.array(rewardRate),
})

/** From now on, unless a later time is named: a day that is closed keeps its rate. Answers all of them. */
export const scheduleRewardRate = endpoint({
  method: 'POST',
  path: '/api/admin/reward-rates',
  access: 'admin',
  body: z.object({ rate: amount, effectiveFrom: instant.optional() }),
  response: z.array(rewardRate),
  idempotent: true,
})

const point = z.object({ date: z.iso.date() })

/** Figures by UTC day, oldest first, without gaps. */
export const getAdminCharts = endpoint({
  method: 'GET',
  path: '/api/admin/charts',
  access: 'admin',
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
  /** What is seen, in one line. */
  value: z.string(),
  /** What to do while it is not well. */
  advice: z.string().nullable(),
})
export type HealthCheck = z.output<typeof healthCheck>

export const getHealth = endpoint({
  method: 'GET',
  path: '/api/admin/health',
  access: 'admin',
  response: z.object({ at: instant, checks: z.array(healthCheck) }),
})
