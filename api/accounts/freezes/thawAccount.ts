import type { EntityManager } from '@mikro-orm/postgresql'
import { getPerson } from '#shared/contract/admin/person.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { DAY } from '#shared/dates.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import type { Clock } from '#api/platform/clock/Clock.ts'
import { readWaitStart } from '#api/platform/clock/readWaitStart.ts'
import { type DomainError, refusal } from '#api/platform/errors.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import type { Services } from '#api/platform/services.ts'
import type { KnownDevice } from '../devices/knownDevices.ts'
import { wrongPassword } from '../identity/checkOwnPassword.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'
import { codeRefusal } from '../otp/consumeCode.ts'
import { consumeUserCode } from '../otp/consumeUserCode.ts'
import { isFrozen } from '../users/frozen.ts'
import { extendHolds, endOfHold } from '../users/holdWithdrawals.ts'

/** After this time a thaw takes effect: its owner is mailed and can freeze the account again meanwhile. */
const THAW_DELAY = DAY

const notFrozen = () => refusal(409, 'account_not_frozen', 'This account is not frozen.')
const supportRequired = () =>
  refusal(409, 'otp_not_enabled', 'This account has no authenticator. Please contact us, and we will thaw it after a check.')

export interface ThawRequest {
  user: Owner
  /** The hash of the verified password. */
  passwordHash: string
  /** An authenticator code or a recovery code. */
  token: string
  /** The account's known browser, if the request comes from one. */
  device: KnownDevice | undefined
  clientAddress: string
  /** Real time. */
  now: Date
}

/**
 * Plans the thaw of an account in 24 hours (money.md 39). A thaw that is planned already stays as it is. It returns a refusal instead of
 * throwing it, so that a wrong code counts.
 *
 * @throws 400 `invalid_credentials` if the password was replaced meanwhile; 409 `account_not_frozen`, `otp_not_enabled`.
 */
export async function planThaw(
  em: EntityManager,
  services: Pick<Services, 'clock' | 'config' | 'jobs'>,
  { user, passwordHash, token, device, clientAddress, now }: ThawRequest,
): Promise<DomainError | { thawsAt: Date }> {
  const account = await query(em)
    .selectFrom('users')
    .select(['passwordHash', 'frozenAt', 'thawsAt', services.clock.dueTime().as('dueNow')])
    .where('id', '=', user.id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  if (account.passwordHash !== passwordHash) throw wrongPassword()
  if (!isFrozen(account, account.dueNow)) throw notFrozen()
  if (account.thawsAt) return { thawsAt: account.thawsAt }
  const code = await consumeUserCode(em, services, { user, token, device, clientAddress, now })
  if (!code) throw supportRequired()
  if (code.outcome !== 'spent' && code.outcome !== 'recovered')
    return codeRefusal(code, { wrong: 'Invalid verification code. Please try again.', now })

  const thawsAt = new Date((await readWaitStart(em, now)).getTime() + THAW_DELAY)
  await setThaw(em, { userId: user.id, thawsAt })
  recordAudit(em, {
    actor: `user:${user.email}`,
    action: 'account.plan_thaw',
    target: user.email,
    ipAddress: clientAddress,
    after: { thawsAt: thawsAt.toISOString() },
  })
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: 'Your account will be thawed',
    paragraphs: [
      sentence('The thaw was started with your password and authenticator. Your account is thawed on {time}.', { time: thawsAt }),
      'Withdrawals stay on hold for 24 hours after that.',
      "If this wasn't you, freeze your account again before then and contact us immediately.",
    ],
    facts: [
      ['Time', now],
      ['IP address', clientAddress],
    ],
  })
  return { thawsAt }
}

/** Thaws an account at once for an operator or an administrator, who has verified its owner. @throws 409 `account_not_frozen`. */
export async function thawNow(
  em: EntityManager,
  services: MailServices & { clock: Pick<Clock, 'dueTime'> },
  { user, actor, reason, clientAddress, now }: { user: Owner; actor: string; reason: string; clientAddress?: string; now: Date },
): Promise<void> {
  const account = await query(em)
    .selectFrom('users')
    .select(['frozenAt', 'thawsAt', services.clock.dueTime().as('dueNow')])
    .where('id', '=', user.id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  if (!isFrozen(account, account.dueNow)) throw notFrozen()
  await setThaw(em, { userId: user.id, thawsAt: account.dueNow })
  recordAudit(em, {
    actor,
    action: 'account.thaw',
    target: user.email,
    ...(clientAddress !== undefined && { ipAddress: clientAddress }),
    before: { thawsAt: account.thawsAt?.toISOString() ?? null },
    after: { reason },
  })
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: 'Your account was thawed',
    paragraphs: [
      'Our support has thawed your account. You can use it again.',
      'Withdrawals are on hold for the next 24 hours.',
      "If you didn't request this, freeze your account again and contact us immediately.",
    ],
    facts: [['Time', now]],
  })
}

/** Withdrawals stay on hold for a day after the thaw. */
async function setThaw(em: EntityManager, { userId, thawsAt }: { userId: string; thawsAt: Date }): Promise<void> {
  await query(em)
    .updateTable('users')
    .set({ thawsAt, withdrawalsReviewedUntil: await endOfHold(em, thawsAt) })
    .where('id', '=', userId)
    .execute()
  await extendHolds(em, { userId, now: thawsAt })
  await recordChange(em, { userId, keys: [getAuthUser.path, getPerson.path] })
}
