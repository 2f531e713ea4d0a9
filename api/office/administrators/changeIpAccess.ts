import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { getIpAccess } from '#shared/contract/admin/login.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { requireShown } from '#api/platform/http/requireShown.ts'

export interface IpAccessChange {
  /** Normalized, without duplicates, and not more than allowed; null removes the restriction. */
  allowedIps: string[] | null
  /** The list that the page showed, if it names it. */
  replaces?: readonly string[] | undefined
  actor: string
  clientAddress?: string
}

/**
 * Sets the addresses allowed in the back office. It applies from the next request in every process, also to existing sessions and open
 * event streams.
 *
 * @throws 409 `value_changed`.
 */
export async function changeIpAccess(
  em: EntityManager,
  { allowedIps, replaces, actor, clientAddress }: IpAccessChange,
): Promise<void> {
  const before = await lockAllowedIps(em)
  if (wordsOf(before) !== wordsOf(allowedIps)) requireShown(wordsOf(before), replaces && wordsOf(replaces))
  await query(em).updateTable('installation').set({ adminAllowedIps: allowedIps }).where('id', '=', 1).execute()
  // Ends the event streams of addresses that are no longer allowed.
  await recordChange(em, { keys: [getIpAccess.path] })
  recordAudit(em, {
    actor,
    action: 'admin.ip_access',
    ...(clientAddress && { ipAddress: clientAddress }),
    before: { allowedIPs: before },
    after: { allowedIPs: allowedIps },
  })
}

const wordsOf = (allowed: readonly string[] | null) => (allowed ?? []).toSorted().join(', ')

/**
 * The addresses allowed so far; null without a restriction. The lock serializes changes, so that each audit entry starts from the previous
 * one's result.
 */
export async function lockAllowedIps(em: EntityManager): Promise<string[] | null> {
  const row = await query(em)
    .selectFrom('installation')
    .select('adminAllowedIps as allowed')
    .where('id', '=', 1)
    .forUpdate()
    .executeTakeFirst()
  return row?.allowed ?? null
}
