import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import type { VestingChange } from './startVesting.ts'

/** Resets the start of vesting. @throws 409 */
export async function resetVesting(em: EntityManager, { actor, clientAddress }: VestingChange): Promise<void> {
  const before = await query(em)
    .selectFrom('installation')
    .select('vestingStartedAt')
    .where('id', '=', 1)
    .forUpdate()
    .executeTakeFirst()
  if (!before?.vestingStartedAt) throw refusal(409, 'vesting_conflict', 'Vesting has not been started.')
  await query(em).updateTable('installation').set({ vestingStartedAt: null }).where('id', '=', 1).execute()
  recordAudit(em, {
    actor,
    action: 'vesting.reset',
    ipAddress: clientAddress,
    before: { vestingStartDate: before.vestingStartedAt },
    after: { vestingStartDate: null },
  })
}
