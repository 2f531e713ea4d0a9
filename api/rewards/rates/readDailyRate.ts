import type { EntityManager } from '@mikro-orm/postgresql'
import { parseAmount } from '#shared/amount.ts'
import { settingDefaults } from '#shared/settings.ts'
import { sql } from '#api/platform/db/sql.ts'

/** What an active node earns a day, by the rate in force at an instant of product time, in the smallest unit of XCR. */
export async function readDailyRate(em: EntityManager, at: Date): Promise<bigint> {
  const [row] = await sql<{ value: string }>(
    em,
    `select value from setting_changes where key = 'xcr_per_node_daily' and product_effective_at <= $1
     order by product_effective_at desc, id desc limit 1`,
    [at],
  )
  return parseAmount(row?.value ?? settingDefaults.xcr_per_node_daily) ?? 0n
}
