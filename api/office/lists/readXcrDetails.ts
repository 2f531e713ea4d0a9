import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import type { getXcrDetails } from '#shared/contract/admin/users.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { query } from '#api/entities/tables.ts'
import { listWithdrawals } from '#api/withdrawals/requests/listWithdrawals.ts'
import { userUnknown } from '#api/accounts/users/errors.ts'
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
  const completed = await query(em)
    .selectFrom('withdrawals')
    .select(({ fn, lit }) => [
      fn.coalesce(fn.sum<bigint>('amount'), lit(0)).as('totalAmount'),
      fn.countAll<number>().as('count'),
      sql<Address[]>`coalesce(array_agg(distinct ${sql.ref('toAddress')}), '{}')::text[]`.as('addresses'),
    ])
    .where('user', '=', userId)
    .where('status', '=', 'completed')
    .executeTakeFirstOrThrow()
  const { totalNodes, availableXcr, totalEarnedXcr } = user
  return {
    withdrawals,
    totalNodes,
    availableXcr,
    totalEarnedXcr,
    completed: { totalAmount: BigInt(completed.totalAmount), count: completed.count },
    addresses: completed.addresses,
  }
}
