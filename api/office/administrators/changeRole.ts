import type { EntityManager } from '@mikro-orm/postgresql'
import type { AdminRole } from '#shared/adminRoles.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { type DomainError, refusal } from '#api/platform/errors.ts'
import { requireShown } from '#api/platform/http/requireShown.ts'
import { lockAdministrators } from './lockAdministrators.ts'
import { tellOfAdministrators } from './tellOfAdministrators.ts'

interface Change {
  administratorId: string
  /** Who changes it. */
  actor: string
  clientAddress: string
}

/**
 * Gives an administrator another role, from the next request on. Returns a refusal if nobody would be an owner any more.
 *
 * @param change with the role that the page showed as `replaces`, if it names it.
 * @throws 409 `value_changed`.
 */
export async function changeRole(
  em: EntityManager,
  { administratorId, role, replaces, actor, clientAddress }: Change & { role: AdminRole; replaces?: AdminRole | undefined },
): Promise<DomainError | undefined> {
  const found = await lockAdministrator(em, administratorId)
  if (!found) return unknown()
  if (found.isLastOwner && role !== 'owner') return lastOwner()
  if (found.role === role) return undefined
  requireShown(found.role, replaces)
  await query(em).updateTable('administrators').set({ role }).where('id', '=', administratorId).execute()
  await tellOfAdministrators(em)
  recordAudit(em, {
    actor,
    action: 'admin.role',
    target: found.username,
    ipAddress: clientAddress,
    before: { role: found.role },
    after: { role },
  })
  return undefined
}

/** Removes an administrator's access and ends the sessions. Returns a refusal if nobody would be an owner any more. */
export async function removeAdministrator(
  em: EntityManager,
  { administratorId, actor, clientAddress, now }: Change & { now: Date },
): Promise<DomainError | undefined> {
  const found = await lockAdministrator(em, administratorId)
  if (!found) return unknown()
  if (found.isLastOwner) return lastOwner()
  await query(em)
    .updateTable('administrators')
    .set((eb) => ({ removedAt: now, sessionEpoch: eb('sessionEpoch', '+', 1) }))
    .where('id', '=', administratorId)
    .execute()
  await tellOfAdministrators(em)
  recordAudit(em, {
    actor,
    action: 'admin.remove',
    target: found.username,
    ipAddress: clientAddress,
    before: { role: found.role },
  })
  return undefined
}

const unknown = () => refusal(404, 'not_found', 'There is no such administrator.')
const lastOwner = () => refusal(409, 'last_owner', 'Somebody must stay an owner. Make somebody else an owner first.')

/** Locks the owners too, in one order, so that two of them cannot remove each other at the same time. */
async function lockAdministrator(em: EntityManager, id: string) {
  await lockAdministrators(em)
  const rows = await query(em)
    .selectFrom('administrators')
    .select(['id', 'username', 'role'])
    .where('removedAt', 'is', null)
    .where((eb) => eb.or([eb('id', '=', id), eb('role', '=', 'owner')]))
    .orderBy('id')
    .forUpdate()
    .execute()
  const found = rows.find((row) => row.id === id)
  const owners = rows.filter(({ role }) => role === 'owner')
  return found && { ...found, isLastOwner: found.role === 'owner' && owners.length === 1 }
}
