import type { EntityManager } from '@mikro-orm/postgresql'
import { listSessions } from '#shared/contract/sessions.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import type { TranslatableText } from '#api/platform/mail/sentence.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import type { Services } from '#api/platform/services.ts'
import { describeDevice } from './describeDevice.ts'
import { rememberDevice } from './knownDevices.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'

const passwordParagraphs: TranslatableText[] = [
  'Someone logged in to your account with your password from a new browser.',
  "If this was you, you don't need to do anything. If not, change your password immediately. That logs out all other devices.",
]
const passkeyParagraphs: TranslatableText[] = [
  'Someone logged in to your account with one of your passkeys from a new browser.',
  "If this was you, you don't need to do anything. If not, change your password immediately. That removes all passkeys and logs out all other devices.",
]

export interface DeviceLogin {
  /** With the epoch, if the password was verified. */
  user: Owner & { epoch?: number }
  /** Identifies the browser; no other browser has it. */
  browserToken: string
  /** The account was just created in it. */
  isSignUp?: boolean
  /** A passkey logged in rather than the password. */
  byPasskey?: boolean
  userAgent: string
  clientAddress: string
  /** Real time. */
  now: Date
}

/** Remembers the browser of a login and emails the owner if it is new. A sign-up causes no email. */
export async function noteDevice(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs'>,
  { user, browserToken, isSignUp = false, byPasskey = false, userAgent, clientAddress, now }: DeviceLogin,
): Promise<void> {
  const { isNew } = await rememberDevice(em, {
    realm: 'user',
    accountId: user.id,
    browserToken,
    now,
    ...(user.epoch !== undefined && { epoch: user.epoch }),
  })
  await recordChange(em, { userId: user.id, keys: [listSessions.path] })
  if (!isNew || isSignUp) return
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: 'New login to your account',
    paragraphs: byPasskey ? passkeyParagraphs : passwordParagraphs,
    facts: [
      ['Device', describeDevice(userAgent)],
      ['Time', now],
      ['IP address', clientAddress],
    ],
  })
}
