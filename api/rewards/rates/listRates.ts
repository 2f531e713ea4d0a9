import type { EntityManager } from '@mikro-orm/postgresql'
import { parseAmount } from '#shared/amount.ts'
import type { RewardRate } from '#shared/contract/admin/office.ts'
import { settingDefaults } from '#shared/settings.ts'
import { sql } from '#api/platform/db/sql.ts'
import { dayAfter, lastDueDay, rewardInstant } from '#shared/rewardTime.ts'

/** Rates that are shown; nobody looks further back, and each distribution tells its own. */
const SHOWN = 200

/** The rates of the past, of now and of the future, newest first. One that was replaced before it came into force was none. */
export async function listRates(em: EntityManager, productNow: Date): Promise<RewardRate[]> {
  const rows = await sql<{ value: string; at: string; set_by: string | null }>(
    em,
    `select distinct on (product_effective_at) value, product_effective_at as at, set_by from setting_changes
     where key = 'xcr_per_node_daily' order by product_effective_at desc, id desc limit ${SHOWN}`,
  )
  const [run] = await sql<{ last: string | null }>(em, 'select max(day)::text as last from reward_runs')
  const nextRun = rewardInstant(dayAfter(run?.last ?? lastDueDay(productNow)))
  const rates = rows.map(({ value, at, set_by }) => ({
    rate: parseAmount(value) ?? 0n,
    effectiveFrom: new Date(at),
    setBy: set_by,
    isNext: false,
  }))
  const next = rates.find(({ effectiveFrom }) => effectiveFrom <= nextRun)
  if (next) next.isNext = true
  else
    rates.push({
      rate: parseAmount(settingDefaults.xcr_per_node_daily)!,
      effectiveFrom: new Date(0),
      setBy: null,
      isNext: true,
    })
  return rates
}
