import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'
import { query } from '#api/entities/tables.ts'
import type { BuiltDay } from './buildDay.ts'

export interface PaidDay {
  day: string
  rate: bigint
  paidAt: Date
  nodes: number
  amount: bigint
}

/** Paid days that are not in the log, oldest first. */
export async function readPaidDays(em: EntityManager, { latestOnly = false } = {}): Promise<PaidDay[]> {
  const rows = await sql<{ day: string; rate: string; paid_at: string; nodes: number; amount: string }>(
    em,
    `select day, rate, paid_at, nodes, amount from reward_runs
     where paid_at is not null and day > coalesce((select max(day) from register_days), '-infinity')
     order by day ${latestOnly ? 'desc limit 1' : ''}`,
  )
  return rows.map(({ day, rate, paid_at, nodes, amount }) => ({
    day,
    rate: BigInt(rate),
    paidAt: new Date(paid_at),
    nodes,
    amount: BigInt(amount),
  }))
}

/** The leaves of a day in the log (format.md, "Node leaf and day"). */
export async function readLeaves(em: EntityManager, day: string): Promise<Uint8Array> {
  const row = await query(em).selectFrom('register_days').select('leaves').where('day', '=', day).executeTakeFirstOrThrow()
  return row.leaves
}

export async function storeDay(
  em: EntityManager,
  { day, supply, built: { tree, leaves } }: { day: string; supply: number; built: BuiltDay },
): Promise<void> {
  await query(em)
    .insertInto('register_days')
    .values({
      day,
      supply,
      root: Buffer.from(tree.root()),
      leaves: Buffer.from(leaves),
      blockHashes: Buffer.from(tree.blockHashes()),
    })
    .execute()
}
