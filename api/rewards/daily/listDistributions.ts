import type { EntityManager } from '@mikro-orm/postgresql'
import { type Distribution, MAX_DISTRIBUTIONS } from '#shared/contract/rewards.ts'
import { sql } from '#api/platform/db/sql.ts'

interface DistributionRow {
  id: string
  amount: string
  created_at: string
  active_nodes: number
  rate: string
}

/**
 * What an account was paid, latest first, corrections included. Goes from day to day, because the rows of a day, not those of an account, lie
 * together.
 */
export async function listDistributions(em: EntityManager, userId: string): Promise<Distribution[]> {
  const rows = await sql<DistributionRow>(
    em,
    `(select d.id, d.amount, d.created_at, d.active_nodes, d.rate from reward_runs r
      join distributions d on d.day = r.day and d.user_id = $1 order by r.day desc limit ${MAX_DISTRIBUTIONS})
     union all
     (select id, amount, created_at, nodes, rate from reward_corrections where user_id = $1
      order by created_at desc limit ${MAX_DISTRIBUTIONS})
     order by created_at desc limit ${MAX_DISTRIBUTIONS}`,
    [userId],
  )
  return rows.map(({ id, amount, created_at, active_nodes, rate }) => ({
    id,
    amount: BigInt(amount),
    createdAt: new Date(created_at),
    activeNodes: active_nodes,
    xcrPerNode: BigInt(rate),
  }))
}
