import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'

export interface VestingChange {
  actor: string
  clientAddress: string
}

/** Starts vesting, which is informational only and locks no nodes. Of two concurrent starts, one succeeds. @throws 409 */
export async function startVesting(
  em: EntityManager,
  { actor, clientAddress, productNow }: VestingChange & { productNow: Date },
): Promise<void> {
  const started = await query(em)
    .updateTable('installation')
    .set({ vestingStartedAt: productNow })
    .where('id', '=', 1)
    .where('vestingStartedAt', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (!started) throw refusal(409, 'vesting_conflict', 'Vesting has already been started.')
  recordAudit(em, {
    actor,
    action: 'vesting.start',
    ipAddress: clientAddress,
    before: { vestingStartDate: null },
    after: { vestingStartDate: productNow },
  })
}
