import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { sql } from '#api/platform/db/sql.ts'
import { refusal } from '#api/platform/errors.ts'
import type { VestingChange } from './startVesting.ts'

/** Forgets that vesting was started. @throws 409 */
export async function resetVesting(em: EntityManager, { actor, clientAddress }: VestingChange): Promise<void> {
  const [before] = await sql<{ at: string | null }>(
    em,
    'select vesting_started_at as at from installation where id = 1 for update',
  )
  if (!before?.at) throw refusal(409, 'vesting_conflict', 'Vesting has not been started.')
  await sql(em, 'update installation set vesting_started_at = null where id = 1')
  recordAudit(em, {
    actor,
    action: 'vesting.reset',
    ipAddress: clientAddress,
    before: { vestingStartDate: new Date(before.at) },
    after: { vestingStartDate: null },
  })
}
