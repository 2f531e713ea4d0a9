import type { EntityManager } from '@mikro-orm/postgresql'
import type { UserNodes } from '#shared/contract/nodes.ts'
import { sql } from '#api/platform/db/sql.ts'
import { readDailyRate } from './readDailyRate.ts'
import { firstRewardAfter } from '#shared/rewardTime.ts'

/** What an account's nodes earn. Frozen nodes are neither active nor on their way. */
export async function readUserNodes(
  em: EntityManager,
  { userId, productNow }: { userId: string; productNow: Date },
): Promise<UserNodes> {
  const [counts] = await sql<{ active: number; pending: number; first: string | null }>(
    em,
    `select count(*) filter (where active_from <= $2)::int as active, count(*) filter (where active_from > $2)::int as pending,
       min(active_from) as first
     from nodes where user_id = $1 and frozen_at is null`,
    [userId, productNow],
  )
  const { active = 0, pending = 0, first } = counts ?? {}
  const rate = await readDailyRate(em, productNow)
  return {
    totalDailyXcr: rate * BigInt(active),
    activeNodes: active,
    pendingNodes: pending,
    currentXcrPerNode: rate,
    firstRewardAt: active === 0 && first ? firstRewardAfter(new Date(first)) : null,
  }
}
