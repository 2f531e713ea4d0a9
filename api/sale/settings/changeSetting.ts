import type { EntityManager } from '@mikro-orm/postgresql'
import { getNodeStats, getUserNodes } from '#shared/contract/nodes.ts'
import { getNodeSettings, listSystemSettings } from '#shared/contract/settings.ts'
import { type SettingKey } from '#shared/settings.ts'
import { sql } from '#api/platform/db/sql.ts'
import { newId } from '#api/platform/db/newId.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { FIRST_INSTANT_OF_OPEN_DAY, keepDaysOpen } from '../supply/openDays.ts'

export interface SettingInput {
  key: SettingKey
  value: string
  /** Real time. */
  effectiveAt: Date
  /** The same instant in product time, if that is not now: only the rate goes by it, so nothing else can be planned. */
  productEffectiveAt?: Date | undefined
  /** Who wants it so, as in the audit log. */
  setBy?: string
}

/** Puts a new value in force and keeps the old one as history: a block is judged by the price of its own time. */
export async function changeSetting(
  em: EntityManager,
  { key, value, effectiveAt, productEffectiveAt, setBy }: SettingInput,
): Promise<void> {
  if (key === 'xcr_per_node_daily') await keepDaysOpen(em)
  // Both times are kept, because a demo moves the one away from the other. A day that is closed keeps its rate.
  await sql(
    em,
    `insert into setting_changes (id, key, value, effective_at, product_effective_at, set_by)
     select $1, $2, $3, $4,
       greatest(coalesce($5::timestamptz, $4::timestamptz + clock_offset_ms * interval '1 ms'), (${FIRST_INSTANT_OF_OPEN_DAY})), $6
     from installation where id = 1`,
    [newId(), key, value, effectiveAt, productEffectiveAt ?? null, setBy ?? null],
  )
  const shown = key === 'xcr_per_node_daily' ? [getUserNodes.path] : []
  await recordChange(em, { keys: [listSystemSettings.path, getNodeSettings.path, getNodeStats.path, ...shown] })
}
