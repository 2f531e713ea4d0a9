import type { EntityManager } from '@mikro-orm/postgresql'
import type { BonusRow } from '#shared/contract/admin/bonus.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import type { Services } from '#api/platform/services.ts'
import { grantBonus } from './grantBonus.ts'
import { readDueBonus } from './readDueBonus.ts'

/** The administrator and IP address, as in the audit log. */
export interface GrantedBy {
  actor: string
  ipAddress: string
}

/**
 * Grants the accounts their due bonus nodes, all of them or none.
 *
 * Allocating or selling a node requires the lock of the supply row, so the due numbers cannot change meanwhile. Of two concurrent
 * administrators, the second finds nothing left to grant.
 *
 * @returns the accounts with a due bonus, as they were before. @throws 409 `insufficient_supply`
 */
export async function grantDueBonus(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  { userIds, by }: { userIds: readonly string[]; by: GrantedBy },
): Promise<BonusRow[]> {
  const supply = await lockSupply(em)
  const due = await readDueBonus(em, userIds)
  if (due.length === 0) return []
  const grants = due.map(({ userId, userEmail, language, bonusPending }) => ({
    userId,
    userEmail,
    language,
    quantity: bonusPending,
  }))
  const granted = await grantBonus(em, services, { supply, grants, notes: undefined })
  recordAudit(em, {
    ...by,
    action: 'bonus.grant_due',
    before: {
      due: due.map(({ userEmail, paidNodes, bonusReceived, bonusPending }) => ({
        userEmail,
        paidNodes,
        bonusReceived,
        bonusPending,
      })),
    },
    after: {
      granted: granted.map(({ userEmail, quantity, purchaseId, numbers }) => ({ userEmail, quantity, purchaseId, numbers })),
    },
  })
  return due
}
