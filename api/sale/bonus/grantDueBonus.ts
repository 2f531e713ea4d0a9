import type { EntityManager } from '@mikro-orm/postgresql'
import type { BonusRow } from '#shared/contract/admin/bonus.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import type { Services } from '#api/platform/services.ts'
import { grantBonus } from './grantBonus.ts'
import { readDueBonus } from './readDueBonus.ts'

/** Who grants, from where, as in the audit log. */
export interface GrantedBy {
  actor: string
  ipAddress: string
}

/**
 * Grants these accounts what is due to each at this moment, all of it or nothing.
 *
 * Whatever gives or sells a node holds the supply row, so what is due stands still meanwhile: of two administrators at once, the second
 * finds nothing left to grant.
 *
 * @returns those who were due something, as they were before. @throws 409 `insufficient_supply`
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
