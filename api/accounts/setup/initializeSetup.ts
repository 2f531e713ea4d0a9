import type { EntityManager } from '@mikro-orm/postgresql'
import { setupStatus } from '#shared/contract/setup.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { newId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import { Administrator } from '#api/entities/Administrator.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { setupDone } from './checkSetup.ts'

/** Writes the initial settings. */
export type StoreDefaults = (em: EntityManager, now: Date) => Promise<void>

export interface SetupInput {
  username: string
  passwordHash: string
  /** Normalized. */
  allowedIps: string[]
  clientAddress: string
  /** Real time. */
  now: Date
}

/** Creates the first administrator. Of several concurrent calls, one succeeds. */
export async function initializeSetup(
  em: EntityManager,
  { username, passwordHash, allowedIps, clientAddress, now }: SetupInput,
  storeDefaults: StoreDefaults,
): Promise<void> {
  const won = await query(em)
    .updateTable('installation')
    .set({ setUpAt: now, setupTokenHash: null, adminAllowedIps: allowedIps, adminInitialIps: allowedIps })
    .where('id', '=', 1)
    .where('setUpAt', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (!won) throw setupDone()
  em.create(Administrator, { id: newId(), username, passwordHash, createdAt: now })
  await storeDefaults(em, now)
  recordAudit(em, {
    actor: `admin:${username}`,
    action: 'setup.initialize',
    target: username,
    ipAddress: clientAddress,
    after: { allowedIps },
  })
  await recordChange(em, { keys: [setupStatus.path] })
}
