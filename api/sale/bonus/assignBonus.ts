import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { NodeCount } from '#api/entities/NodeCount.ts'
import { User } from '#api/entities/User.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import type { Services } from '#api/platform/services.ts'
import { userUnknown } from '#api/accounts/users/errors.ts'
import { grantBonus } from './grantBonus.ts'
import type { GrantedBy } from './grantDueBonus.ts'

/** Grants an account any number of bonus nodes. @returns their numbers. @throws 404; 409 `insufficient_supply`. */
export async function assignBonus(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  { userEmail, quantity, notes, by }: { userEmail: string; quantity: number; notes: string | undefined; by: GrantedBy },
): Promise<number[]> {
  const user = await em.findOne(User, { email: userEmail })
  if (!user) throw userUnknown()
  const supply = await lockSupply(em)
  // Two proposals of the same bonus would grant it twice. The second one is refused, because what it has found has changed (money.md 41).
  const before = await em.findOne(NodeCount, { user: user.id }, { refresh: true, fields: ['bonus', 'pending'] })
  const grants = [{ userId: user.id, userEmail, language: user.language, quantity }]
  const [granted] = await grantBonus(em, services, { supply, grants, notes })
  const { purchaseId, numbers } = granted!
  recordAudit(em, {
    ...by,
    action: 'bonus.assign',
    target: `user:${userEmail}`,
    before: { bonusReceived: before?.bonus ?? 0, bonusPending: before?.pending ?? 0 },
    after: { quantity, notes: notes ?? null, purchaseId, numbers },
  })
  return numbers
}
