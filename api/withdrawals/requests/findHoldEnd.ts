import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import type { AuditAction } from '#shared/auditActions.ts'
import type { HoldCause } from '#shared/contract/withdrawals.ts'
import { HOLD_PERIOD } from '#api/accounts/users/holdWithdrawals.ts'
import { walletReplacedAt } from '#api/accounts/wallets/walletReplacedAt.ts'
import { query } from '#api/entities/tables.ts'
import type { Clock } from '#api/platform/clock/Clock.ts'

interface HoldInput {
  userId: string
  wallet: Address
  reviewedUntil: Date | null
  /** Real time. */
  now: Date
}

/** Until when a withdrawal to this wallet that is requested now is on hold (money.md 17). Null: it is not. */
export async function findHoldEnd(em: EntityManager, input: HoldInput): Promise<Date | null> {
  return (await findHold(em, input))?.end ?? null
}

async function findHold(em: EntityManager, { userId, wallet, reviewedUntil, now }: HoldInput) {
  const replacedAt = await walletReplacedAt(em, { userId, wallet, now })
  const [changed, replaced] = [reviewedUntil?.getTime() ?? 0, replacedAt ? replacedAt.getTime() + HOLD_PERIOD : 0]
  const end = Math.max(changed, replaced)
  return end > now.getTime() ? { end: new Date(end), isByWallet: replaced > changed } : null
}

/** Changes of an account that put its withdrawals on hold or prolong that, besides a change of its wallet, as the audit log names them. */
export const holdingActions = {
  'account.freeze': 'freeze',
  'account.plan_thaw': 'freeze',
  'account.thaw': 'freeze',
  'otp.disable': 'authenticator',
  'otp.reset': 'authenticator',
  'password.reset': 'password',
  'user.password_reset': 'password',
} as const satisfies Partial<Record<AuditAction, HoldCause>>
type HoldingAction = keyof typeof holdingActions

/** The same for the account's registered wallet, with its cause, to announce it. The request decides anew, under its locks. */
export async function readHold(
  em: EntityManager,
  clock: Pick<Clock, 'dueTime'>,
  userId: string,
): Promise<{ heldUntil?: Date; holdCause?: HoldCause }> {
  const {
    email,
    walletAddress: wallet,
    withdrawalsReviewedUntil: reviewedUntil,
    dueNow: now,
  } = await query(em)
    .selectFrom('users')
    .select(['email', 'walletAddress', 'withdrawalsReviewedUntil', clock.dueTime().as('dueNow')])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const hold = wallet && (await findHold(em, { userId, wallet, reviewedUntil, now }))
  if (!hold) return {}
  const holdCause = hold.isByWallet ? 'wallet' : await readCause(em, email)
  return { heldUntil: hold.end, ...(holdCause && { holdCause }) }
}

/** The last of these changes, because each begins the hold anew. */
async function readCause(em: EntityManager, email: string): Promise<HoldCause | undefined> {
  const last = await query(em)
    .selectFrom('audit_entries')
    .select('action')
    .where('target', '=', email)
    .where('action', 'in', Object.keys(holdingActions))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last && holdingActions[last.action as HoldingAction]
}
