import type { EntityManager } from '@mikro-orm/postgresql'
import { createHash } from 'node:crypto'
import { listSessions } from '#shared/contract/sessions.ts'
import { newId } from '../db/newId.ts'
import { sql } from '../db/sql.ts'
import { recordChange } from '../events/recordChange.ts'
import { mailOwner } from '../mail/mailOwner.ts'
import type { Owner } from '../mail/Reader.ts'
import type { Services } from '../services.ts'
import { describeDevice } from './describeDevice.ts'

export interface DeviceLogin {
  user: Owner
  /** Names the browser, and is in it alone. */
  browserToken: string
  userAgent: string
  clientAddress: string
  /** Real time. */
  now: Date
}

/** Remembers from which browser an account logs in, and mails its owner if it is a new one. The first one of all is no news. */
export async function noteDevice(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs'>,
  { user, browserToken, userAgent, clientAddress, now }: DeviceLogin,
): Promise<void> {
  const tokenHash = createHash('sha256').update(browserToken).digest('hex')
  const [device] = await sql<{ is_new: boolean; is_first: boolean }>(
    em,
    `insert into known_devices (id, user_id, token_hash, first_seen_at, last_seen_at) values ($1, $2, $3, $4, $4)
     on conflict (user_id, token_hash) do update set last_seen_at = excluded.last_seen_at
     returning xmax = 0 as is_new,
       not exists (select from known_devices other where other.user_id = $2 and other.token_hash <> $3) as is_first`,
    [newId(), user.id, tokenHash, now],
  )
  await recordChange(em, { userId: user.id, keys: [listSessions.path] })
  if (!device?.is_new || device.is_first) return
  await mailOwner(em, services, {
    to: user,
    subject: 'New login to your account',
    paragraphs: [
      'Somebody has logged in to your account with its password, from a browser that has not been seen before.',
      'If this was you, you need not do anything. If not, change your password at once: that logs out everybody else.',
    ],
    facts: [
      ['Device', describeDevice(userAgent)],
      ['Time', now],
      ['IP address', clientAddress],
    ],
  })
}
