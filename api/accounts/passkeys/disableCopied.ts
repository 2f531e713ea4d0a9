import type { EntityManager } from '@mikro-orm/postgresql'
import { listPasskeys } from '#shared/contract/passkeys.ts'
import { query } from '#api/entities/tables.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { mailOperator } from '#api/platform/mail/mailOperator.ts'
import type { Services } from '#api/platform/services.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'
import type { PasskeyOwner } from './passkeyOwners.ts'

export interface CopiedPasskey {
  owner: PasskeyOwner
  passkey: { id: string; name: string }
  clientAddress: string
  /** Real time. */
  now: Date
}

type Copied = Pick<CopiedPasskey, 'clientAddress' | 'now'> & { id: string; name: string }

/**
 * Disables a passkey whose counter did not advance: it was copied, and either of the two may belong to a thief. Ends all sessions of the
 * account and tells its owner; for an administrator, the operator.
 */
export async function disableCopied(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs'>,
  { owner: { realm, id }, passkey, clientAddress, now }: CopiedPasskey,
): Promise<void> {
  await query(em).updateTable('passkeys').set({ disabledAt: now }).where('id', '=', passkey.id).execute()
  await query(em).deleteFrom('web_sessions').where('realm', '=', realm).where('accountId', '=', id).execute()
  await tell[realm](em, services, { id, name: passkey.name, clientAddress, now })
}

const tell = {
  async user(em: EntityManager, services: Pick<Services, 'config' | 'jobs'>, { id, name, clientAddress, now }: Copied) {
    const to = await query(em)
      .selectFrom('users')
      .select(['id', 'email', 'language'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const action = 'passkey.copied'
    recordAudit(em, { actor: 'visitor', action, target: to.email, ipAddress: clientAddress, after: { passkey: name } })
    await recordChange(em, { userId: id, keys: [listPasskeys.path] })
    await notifyOwner(em, services, {
      to,
      topic: 'security',
      link: '/security',
      subject: 'A passkey was disabled',
      paragraphs: [
        'One of your passkeys was disabled, because a copy of it was used. You have been logged out everywhere.',
        "Log in with your password, remove this passkey and add a new one. If you don't know how it was copied, contact us.",
      ],
      facts: [
        ['Passkey', name],
        ['Time', now],
        ['IP address', clientAddress],
      ],
    })
  },
  async admin(em: EntityManager, services: Pick<Services, 'config' | 'jobs'>, { id, name, clientAddress }: Copied) {
    const { username } = await query(em)
      .selectFrom('administrators')
      .select('username')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const action = 'admin.passkey_copied'
    recordAudit(em, { actor: 'visitor', action, target: username, ipAddress: clientAddress, after: { passkey: name } })
    await mailOperator(em, services, {
      subject: 'A passkey of an administrator was disabled',
      paragraphs: [
        `A passkey of the administrator ${username} was disabled, because a copy of it was used. All sessions of this administrator have ended.`,
        'Find out which device was copied, remove the passkey in the panel and add a new one.',
      ],
      facts: [
        ['Passkey', name],
        ['IP address', clientAddress],
      ],
    })
  },
}
