import type { EntityManager } from '@mikro-orm/postgresql'
import { listSessions } from '#shared/contract/sessions.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { mailOwner } from '#api/platform/mail/mailOwner.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import type { Services } from '#api/platform/services.ts'
import { describeDevice } from './describeDevice.ts'
import { rememberDevice } from './knownDevices.ts'

export interface DeviceLogin {
  user: Owner
  /** Identifies the browser; no other browser has it. */
  browserToken: string
  userAgent: string
  clientAddress: string
  /** Real time. */
  now: Date
}

/** Remembers the browser of a login and emails the owner if it is new. The account's first browser causes no email. */
export async function noteDevice(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs'>,
  { user, browserToken, userAgent, clientAddress, now }: DeviceLogin,
): Promise<void> {
  const { isNew, isFirst } = await rememberDevice(em, { realm: 'user', accountId: user.id, browserToken, now })
  await recordChange(em, { userId: user.id, keys: [listSessions.path] })
  if (!isNew || isFirst) return
  await mailOwner(em, services, {
    to: user,
    subject: 'New login to your account',
    paragraphs: [
      'Somebody has logged in to your account with its password, from a browser that has not been seen before.',
      'If this was you, there is nothing to do. If not, change your password at once: that logs out everybody else.',
    ],
    facts: [
      ['Device', describeDevice(userAgent)],
      ['Time', now],
      ['IP address', clientAddress],
    ],
  })
}
