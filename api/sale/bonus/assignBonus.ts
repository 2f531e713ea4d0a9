import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
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
  const grants = [{ userId: user.id, userEmail, language: user.language, quantity }]
  const [granted] = await grantBonus(em, services, { supply, grants, notes })
  const { purchaseId, numbers } = granted!
  recordAudit(em, {
    ...by,
    action: 'bonus.assign',
    target: `user:${userEmail}`,
    after: { quantity, notes: notes ?? null, purchaseId, numbers },
  })
  return numbers
}
