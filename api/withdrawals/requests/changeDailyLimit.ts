import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import { type DailyLimit, getDailyLimit } from '#shared/contract/withdrawals.ts'
import { DAY } from '#shared/dates.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { notifyOwner } from '#api/accounts/inbox/notifyOwners.ts'
import { consumeStepUpMark } from '#api/accounts/otp/consumeStepUpMark.ts'
import { accountFrozen, isFrozen } from '#api/accounts/users/frozen.ts'
import { query } from '#api/entities/tables.ts'
import { readWaitStart } from '#api/platform/clock/readWaitStart.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import type { MailContent } from '#api/platform/mail/writeMail.ts'
import type { Services } from '#api/platform/services.ts'
import { limitInForce } from './dailyLimit.ts'
import { otpNotEnabled } from './errors.ts'

/** After this time a higher limit, or none, takes effect: its owner is mailed and can cancel it meanwhile. */
const RAISE_DELAY = DAY

export interface DailyLimitChange {
  user: Owner
  sessionKey: string
  /** Null removes it. */
  limit: bigint | null
  clientAddress: string
  /** Real time. */
  now: Date
}

type Limits = Pick<DailyLimit, 'limit' | 'next'>

/**
 * Changes an account's daily limit (money.md 38). The same change again is none, so that it neither starts the day anew nor is told
 * twice.
 *
 * @throws 403 `otp_not_enabled` or `otp_required`, 409 `account_frozen` if the limit would rise.
 */
export async function changeDailyLimit(
  em: EntityManager,
  services: Pick<Services, 'clock' | 'config' | 'jobs'>,
  { user, sessionKey, limit, clientAddress, now }: DailyLimitChange,
): Promise<void> {
  // The lock of `requireWithdrawable`: a concurrent withdrawal either counts or sees the new limit.
  const { otpEnabledAt, frozenAt, thawsAt, dueNow, ...columns } = await query(em)
    .selectFrom('users')
    .select(['otpEnabledAt', 'dailyLimit', 'nextDailyLimit', 'dailyLimitChangesAt', 'frozenAt', 'thawsAt'])
    .select(services.clock.dueTime().as('dueNow'))
    .where('id', '=', user.id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const before = limitInForce(columns, dueNow)
  const isRaise = before.limit !== null && (limit === null || limit > before.limit)
  const after: Limits = isRaise
    ? { limit: before.limit, next: { limit, from: new Date((await readWaitStart(em, now)).getTime() + RAISE_DELAY) } }
    : { limit, next: null }
  if (before.limit === after.limit && Boolean(before.next) === isRaise && before.next?.limit === after.next?.limit) return
  if (isRaise) {
    if (isFrozen({ frozenAt, thawsAt }, dueNow)) throw accountFrozen()
    if (!otpEnabledAt) throw otpNotEnabled()
    await consumeStepUpMark(em, { userId: user.id, sessionKey, purpose: 'daily_limit', now })
  }
  await query(em)
    .updateTable('users')
    .set({
      dailyLimit: after.limit,
      nextDailyLimit: after.next?.limit ?? null,
      dailyLimitChangesAt: after.next?.from ?? null,
    })
    .where('id', '=', user.id)
    .execute()
  recordAudit(em, {
    actor: `user:${user.email}`,
    action: 'withdrawal.daily_limit',
    target: user.email,
    ipAddress: clientAddress,
    before: recordOf(before),
    after: recordOf(after),
  })
  await recordChange(em, { userId: user.id, keys: [getDailyLimit.path] })
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    ...describe(before, after),
    facts: [
      ['Time', now],
      ['IP address', clientAddress],
    ],
  })
}

const shown = (limit: bigint) => formatAmount(limit, { grouped: true })
const recordOf = ({ limit, next }: Limits) => ({
  limit: limit === null ? null : formatAmount(limit),
  ...(next && { next: next.limit === null ? null : formatAmount(next.limit), from: next.from.toISOString() }),
})

function describe(before: Limits, { limit, next }: Limits): Pick<MailContent, 'subject' | 'paragraphs'> {
  const current = { limit: shown(limit ?? 0n) }
  if (!next)
    return {
      subject: sentence('Your daily withdrawal limit is {limit} XCR', current),
      paragraphs: [
        sentence('From now on, at most {limit} XCR can be withdrawn from your account within 24 hours.', current),
        ...(before.next ? (['The raise of the limit that was planned is cancelled.'] as const) : []),
        "If this wasn't you, change your password and contact us immediately.",
      ],
    }
  const time = next.from
  return {
    subject:
      next.limit === null
        ? 'Your daily withdrawal limit will be removed'
        : sentence('Your daily withdrawal limit will be raised to {limit} XCR', { limit: shown(next.limit) }),
    paragraphs: [
      sentence('This takes effect on {time}. Until then, the limit stays at {limit} XCR.', { time, ...current }),
      "If this wasn't you, cancel it in Security Settings before then, change your password and contact us immediately.",
    ],
  }
}
