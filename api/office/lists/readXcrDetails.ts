import type { EntityManager } from '@mikro-orm/postgresql'
import type { getXcrDetails } from '#shared/contract/admin/users.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { query } from '#api/entities/tables.ts'
import { listWithdrawals } from '#api/withdrawals/requests/listWithdrawals.ts'
import { userUnknown } from '#api/accounts/users/errors.ts'
import { readWithdrawn } from '#api/accounts/users/readWithdrawn.ts'
import { readUsers } from './listUsers.ts'

/**
 * An account's XCR figures and its latest completed withdrawals, for administrators.
 *
 * @throws 404
 */
export async function readXcrDetails(
  em: EntityManager,
  { userId, now }: { userId: string; now: Date },
): Promise<Output<typeof getXcrDetails>> {
  const [user] = await readUsers(em, { ids: [userId], now })
  if (!user) throw userUnknown()
  const withdrawals = await listWithdrawals(em, { userId, status: 'completed' })
  const recipients = await query(em)
    .selectFrom('withdrawals')
    .select('toAddress')
    .distinct()
    .where('user', '=', userId)
    .where('status', '=', 'completed')
    .orderBy('toAddress')
    .execute()
  const { totalNodes, availableXcr, totalEarnedXcr } = user
  return {
    withdrawals,
    totalNodes,
    availableXcr,
    totalEarnedXcr,
    completed: await readWithdrawn(em, userId),
    addresses: recipients.map(({ toAddress }) => toAddress),
  }
}
