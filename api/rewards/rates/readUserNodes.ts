import type { EntityManager } from '@mikro-orm/postgresql'
import type { UserNodes } from '#shared/contract/nodes.ts'
import { query } from '#api/entities/tables.ts'
import { readDailyRate } from './readDailyRate.ts'
import { firstRewardAfter } from '#shared/rewardTime.ts'

/** The numbers and earnings of an account's nodes. Frozen nodes are neither active nor pending. */
export async function readUserNodes(
  em: EntityManager,
  { userId, productNow }: { userId: string; productNow: Date },
): Promise<UserNodes> {
  const { active, pending, first } = await query(em)
    .selectFrom('nodes')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('activeFrom', '<=', productNow).as('active'),
      fn.countAll<number>().filterWhere('activeFrom', '>', productNow).as('pending'),
      fn.min('activeFrom').as('first'),
    ])
    .where('user', '=', userId)
    .where('frozenAt', 'is', null)
    .executeTakeFirstOrThrow()
  const rate = await readDailyRate(em, productNow)
  return {
    totalDailyXcr: rate * BigInt(active),
    activeNodes: active,
    pendingNodes: pending,
    currentXcrPerNode: rate,
    firstRewardAt: active === 0 && first ? firstRewardAfter(first) : null,
  }
}
