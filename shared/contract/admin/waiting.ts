import { z } from 'zod'
import { endpoint, everyRole } from '../endpoint.ts'

/** What waits for an administrator or needs attention, by kind. */
export const waiting = z.object({
  /** Withdrawals that a person decides about. */
  withdrawals: z.int(),
  /** Withdrawals on hold, which the clock releases unless somebody decides earlier. */
  holds: z.int(),
  /** Cases in review: purchases, and the payments of one sender. */
  reviews: z.int(),
  /** Proposals of others that the caller may approve. */
  proposals: z.int(),
  /** Payout wallets that send nothing until an operator has reconciled them. */
  stoppedPayouts: z.int(),
  /** Payout wallets that cannot pay all that is requested, or soon cannot pay fees. */
  lowWallets: z.int(),
  /** Differences that the last audit found. */
  differences: z.int(),
  /** Scheduled tasks whose last run failed, and job queues with failed jobs. */
  failingTasks: z.int(),
  /** The sum of the others. */
  total: z.int(),
})
export type Waiting = z.output<typeof waiting>

/** The stream of `ADMIN_EVENTS_PATH` tells when it has changed. */
export const getWaiting = endpoint({
  method: 'GET',
  path: '/api/admin/waiting',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  response: waiting,
})
