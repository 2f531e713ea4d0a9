import type { EntityManager } from '@mikro-orm/postgresql'
import { parseAmount } from '#shared/amount.ts'
import type { RewardRate } from '#shared/contract/admin/office.ts'
import { settingDefaults } from '#shared/settings.ts'
import { query } from '#api/entities/tables.ts'
import { dayAfter, lastDueDay, rewardInstant } from '#shared/rewardTime.ts'

/** Maximum number of rates in the list. Each distribution stores its own rate. */
const MAX_RATES = 200

/** The past, current and future rates, newest first. A rate that was replaced before it came into force is omitted. */
export async function listRates(em: EntityManager, productNow: Date): Promise<RewardRate[]> {
  const rows = await query(em)
    .selectFrom('setting_changes')
    .distinctOn('productEffectiveAt')
    .select(['value', 'productEffectiveAt as effectiveFrom', 'setBy'])
    .where('key', '=', 'xcr_per_node_daily')
    .orderBy('productEffectiveAt', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_RATES)
    .execute()
  const run = await query(em)
    .selectFrom('reward_runs')
    .select((eb) => eb.fn.max('day').as('last'))
    .executeTakeFirst()
  const nextRun = rewardInstant(dayAfter(run?.last ?? lastDueDay(productNow)))
  const rates = rows.map(({ value, ...rate }) => ({ rate: parseAmount(value) ?? 0n, ...rate, isNext: false }))
  const next = rates.find(({ effectiveFrom }) => effectiveFrom <= nextRun)
  if (next) next.isNext = true
  // In force until the first one is, which may be paid next and not be in force yet.
  const first = { rate: parseAmount(settingDefaults.xcr_per_node_daily)!, effectiveFrom: new Date(0), setBy: null, isNext: !next }
  return rates.length < MAX_RATES ? [...rates, first] : rates
}
