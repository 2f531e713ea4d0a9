import type { EntityManager } from '@mikro-orm/postgresql'
import { listPasskeys, type NewPasskey, type Passkey } from '#shared/contract/passkeys.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { DomainError } from '#api/platform/errors.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import type { Services } from '#api/platform/services.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'
import { finishRegistration } from '../passkeys/registerPasskey.ts'
import { noSuchPasskey } from '../passkeys/refusals.ts'
import { removeAllPasskeys, removePasskey } from '../passkeys/removePasskeys.ts'
import { requireNotFrozen } from '../users/frozen.ts'
import { deleteSessions } from '../users/deleteSessions.ts'
import { endOtherSessions } from './endSessions.ts'

interface PasskeyChange {
  user: Owner
  sessionKey: string
  clientAddress: string
  /** Real time. */
  now: Date
}

/**
 * Adds a passkey and tells the owner. It returns a refusal of the passkey instead of throwing it, so that the challenge is used up.
 *
 * @throws 409 `account_frozen`.
 */
export async function addUserPasskey(
  em: EntityManager,
  services: Pick<Services, 'clock' | 'config' | 'jobs'>,
  { user, clientAddress, ...registration }: PasskeyChange & { name: string; passkey: NewPasskey },
): Promise<DomainError | Passkey> {
  await requireNotFrozen(em, services.clock, user.id)
  const added = await finishRegistration(em, services.config, { owner: { realm: 'user', id: user.id }, ...registration })
  if (added instanceof DomainError) return added
  recordAudit(em, {
    actor: `user:${user.email}`,
    action: 'passkey.add',
    target: user.email,
    ipAddress: clientAddress,
    after: { passkey: registration.name },
  })
  await recordChange(em, { userId: user.id, keys: [listPasskeys.path] })
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: 'A passkey was added to your account',
    paragraphs: [
      'This passkey can log in to your account from now on. Purchases and withdrawals need the code of your authenticator as before.',
      "If this wasn't you, change your password immediately. That removes all passkeys and logs out all other devices.",
    ],
    facts: [
      ['Passkey', registration.name],
      ['Time', registration.now],
      ['IP address', clientAddress],
    ],
  })
  return added
}

/** Removes a passkey and ends the other sessions, of which it may have begun some. @throws 404 if there is none. */
export async function removeUserPasskey(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs'>,
  { user, passkeyId, sessionKey, clientAddress, now }: PasskeyChange & { passkeyId: string },
): Promise<void> {
  const name = await removePasskey(em, { owner: { realm: 'user', id: user.id }, passkeyId })
  if (name === undefined) throw noSuchPasskey()
  recordAudit(em, {
    actor: `user:${user.email}`,
    action: 'passkey.remove',
    target: user.email,
    ipAddress: clientAddress,
    before: { passkey: name },
  })
  await endOtherSessions(em, { user, sessionKey, clientAddress })
  await recordChange(em, { userId: user.id, keys: [listPasskeys.path] })
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: 'A passkey was removed from your account',
    paragraphs: [
      'This passkey can no longer log in to your account. You have been logged out everywhere else.',
      "If this wasn't you, change your password and contact us immediately.",
    ],
    facts: [
      ['Passkey', name],
      ['Time', now],
      ['IP address', clientAddress],
    ],
  })
}

/** Removes all passkeys of a user for an operator, and tells the owner. @returns how many there were. */
export async function resetUserPasskeys(
  em: EntityManager,
  services: MailServices,
  { user, actor, now }: { user: Owner; actor: string; now: Date },
): Promise<number> {
  const names = await removeAllPasskeys(em, { realm: 'user', id: user.id })
  if (names.length === 0) return 0
  recordAudit(em, { actor, action: 'passkey.reset', target: user.email, before: { passkeys: names } })
  await deleteSessions(em, user.id)
  await recordChange(em, { userId: user.id, keys: [listPasskeys.path] })
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: 'Your passkeys were removed',
    paragraphs: [
      'The operator has removed all passkeys from your account. You have been logged out everywhere. Your password works as before.',
      "If you didn't request this, change your password and contact us immediately.",
    ],
    facts: [['Time', now]],
  })
  return names.length
}
