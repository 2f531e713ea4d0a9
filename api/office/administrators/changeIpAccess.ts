import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import { readIpAccess } from './readIpAccess.ts'

export interface IpAccessChange {
  /** Normalised, each once; null removes the restriction. */
  allowedIps: string[] | null
  actor: string
  clientAddress?: string
}

/** Sets from where the back office may be used, from the next call on, in every process and for running sessions too. */
export async function changeIpAccess(em: EntityManager, { allowedIps, actor, clientAddress }: IpAccessChange): Promise<void> {
  // Two changes at once wait for each other, so that each one's record begins with what the other has left.
  await query(em).selectFrom('installation').select('id').where('id', '=', 1).forUpdate().execute()
  const { allowedIPs, isRestricted, maxIPs } = await readIpAccess(em, '')
  if (allowedIps && allowedIps.length > maxIPs) {
    throw refusal(400, 'invalid_request', `At most ${maxIPs} IP addresses can be allowed.`)
  }
  await query(em).updateTable('installation').set({ adminAllowedIps: allowedIps }).where('id', '=', 1).execute()
  recordAudit(em, {
    actor,
    action: 'admin.ip_access',
    ...(clientAddress && { ipAddress: clientAddress }),
    before: { allowedIPs: isRestricted ? allowedIPs : null },
    after: { allowedIPs: allowedIps },
  })
}
