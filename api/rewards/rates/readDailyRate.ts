import type { EntityManager } from '@mikro-orm/postgresql'
import { parseAmount } from '#shared/amount.ts'
import { settingDefaults } from '#shared/settings.ts'
import { query } from '#api/entities/tables.ts'

/** The daily reward of an active node at an instant of product time, in the smallest unit of XCR. */
export async function readDailyRate(em: EntityManager, at: Date): Promise<bigint> {
  const row = await query(em)
    .selectFrom('setting_changes')
    .select('value')
    .where('key', '=', 'xcr_per_node_daily')
    .where('productEffectiveAt', '<=', at)
    .orderBy('productEffectiveAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return parseAmount(row?.value ?? settingDefaults.xcr_per_node_daily) ?? 0n
}
