import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import type { getXcrDetails } from '#shared/contract/admin/users.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { sql } from '#api/platform/db/sql.ts'
import { listWithdrawals } from '#api/withdrawals/requests/listWithdrawals.ts'
import { userUnknown } from '#api/accounts/users/errors.ts'
import { readUsers } from './listUsers.ts'

/**
 * What an administrator is told of somebody's XCR: the four facts, and the latest completed withdrawals.
 *
 * @throws 404
 */
export async function readXcrDetails(em: EntityManager, userId: string): Promise<Output<typeof getXcrDetails>> {
  const [user] = await readUsers(em, [userId])
  if (!user) throw userUnknown()
  const withdrawals = await listWithdrawals(em, { userId, status: 'completed' })
  const [completed] = await sql<{ amount: string; count: number; addresses: Address[] }>(
    em,
    `select coalesce(sum(amount), 0) as amount, count(*)::int as count,
       coalesce(array_agg(distinct to_address), '{}')::text[] as addresses
     from withdrawals where user_id = $1 and status = 'completed'`,
    [userId],
  )
  const { totalNodes, availableXcr, totalEarnedXcr } = user
  return {
    withdrawals,
    totalNodes,
    availableXcr,
    totalEarnedXcr,
    completed: { totalAmount: BigInt(completed!.amount), count: completed!.count },
    addresses: completed!.addresses,
  }
}
