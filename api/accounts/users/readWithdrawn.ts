import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

/** The sum and number of an account's completed withdrawals. */
export async function readWithdrawn(em: EntityManager, userId: string): Promise<{ totalAmount: bigint; count: number }> {
  const { total, count } = await query(em)
    .selectFrom('withdrawals')
    .select(({ fn }) => [fn.sum<bigint | null>('amount').as('total'), fn.countAll<number>().as('count')])
    .where('user', '=', userId)
    .where('status', '=', 'completed')
    .executeTakeFirstOrThrow()
  return { totalAmount: total ?? 0n, count }
}
