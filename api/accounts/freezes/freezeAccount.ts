import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import { getPerson } from '#shared/contract/admin/person.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { getDailyLimit } from '#shared/contract/withdrawals.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import type { Clock } from '#api/platform/clock/Clock.ts'
import { deleteSessions } from '../users/deleteSessions.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'
import { isFrozen } from '../users/frozen.ts'
import { holdUnsignedWithdrawals, endOfHold, readSigned } from '../users/holdWithdrawals.ts'

export interface Freeze {
  userId: string
  /** The operator or administrator who freezes it; the owner if absent. */
  actor?: string
  /** The reason they gave. */
  reason?: string
  clientAddress?: string
  /** Real time. */
  now: Date
}

type Payouts = Awaited<ReturnType<typeof readSigned>>

/**
 * Freezes an account (money.md 39): ends its sessions, puts withdrawals that are not signed on hold, and cancels what was planned with
 * its credentials, a thaw, a raise of the daily limit or the removal of the authenticator. If it is frozen already and no thaw is
 * planned, only its sessions end.
 *
 * Lock order: user, withdrawals.
 *
 * @returns the withdrawals that are signed already, which are paid.
 */
export async function freezeAccount(
  em: EntityManager,
  services: MailServices & { clock: Pick<Clock, 'dueNow'> },
  { userId, actor, reason, clientAddress, now }: Freeze,
): Promise<{ signed: Payouts }> {
  const user = await query(em)
    .selectFrom('users')
    .select(['id', 'email', 'language', 'frozenAt', 'thawsAt'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  // A clock that is ahead would take what is planned for what has happened.
  const dueNow = await services.clock.dueNow(em)
  const wasFrozen = isFrozen(user, dueNow)
  const heldUntil = await endOfHold(em, now)
  const { sessionEpoch } = await query(em)
    .updateTable('users')
    .set((eb) => ({
      sessionEpoch: eb('sessionEpoch', '+', 1),
      thawsAt: null,
      otpResetsAt: null,
      otpResetBy: null,
      ...(!wasFrozen && { frozenAt: now, withdrawalsReviewedUntil: heldUntil }),
    }))
    .where('id', '=', userId)
    .returning('sessionEpoch')
    .executeTakeFirstOrThrow()
  // The owner's browsers stay known, so that guesses from others don't lock the owner out (money.md 34).
  await query(em)
    .updateTable('known_devices')
    .set({ accountEpoch: sessionEpoch })
    .where('user', '=', userId)
    .where('accountEpoch', '=', sessionEpoch - 1)
    .execute()
  await query(em)
    .updateTable('users')
    .set({ nextDailyLimit: null, dailyLimitChangesAt: null })
    .where('id', '=', userId)
    .where('dailyLimitChangesAt', '>', dueNow)
    .execute()
  await deleteSessions(em, userId)
  await recordChange(em, { userId, keys: [getAuthUser.path, getDailyLimit.path, getPerson.path] })
  recordAudit(em, {
    actor: actor ?? `user:${user.email}`,
    action: 'account.freeze',
    target: user.email,
    ...(clientAddress !== undefined && { ipAddress: clientAddress }),
    before: { frozen: wasFrozen, thawsAt: wasFrozen ? (user.thawsAt?.toISOString() ?? null) : null },
    after: { frozen: true, thawsAt: null, ...(reason && { reason }) },
  })
  if (wasFrozen && user.thawsAt === null) return { signed: await readSigned(em, userId) }

  const { held, signed } = await holdUnsignedWithdrawals(em, { userId, now })
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: wasFrozen ? 'Your account stays frozen' : 'Your account is frozen',
    paragraphs: [
      ...(actor === undefined ? [] : (['Our support has frozen it, because somebody else may have access to it.'] as const)),
      ...(wasFrozen ? (['The planned thaw is cancelled.'] as const) : []),
      'Nobody can withdraw or change the password, authenticator or wallet of your account, and you have been logged out everywhere. Your nodes, payments and rewards go on.',
      ...(held.length > 0 ? (['Withdrawals that were not signed yet are on hold.'] as const) : []),
      ...(signed.length > 0
        ? ([
            'Withdrawals that were signed already can no longer be stopped. They are paid to the wallet they were requested for.',
          ] as const)
        : []),
      'To use it again, log in and start the thaw in Security Settings with your password and a code of your authenticator. It takes 24 hours. If you lack one of them, contact us.',
    ],
    facts: [
      ...(held.length > 0 ? ([['On hold', describe(held)]] as const) : []),
      ...(signed.length > 0 ? ([['Signed already', describe(signed)]] as const) : []),
      ['Time', now],
      // An administrator's address would look like a thief's.
      ...(clientAddress === undefined || actor !== undefined ? [] : ([['IP address', clientAddress]] as const)),
    ],
    noFreezeLink: true,
  })
  return { signed }
}

const describe = (payouts: Payouts): string =>
  payouts.map(({ amount, toAddress }) => `${formatAmount(amount)} XCR → ${toAddress}`).join(', ')
