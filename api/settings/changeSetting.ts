import type { EntityManager } from '@mikro-orm/postgresql'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { getNodeSettings, listSystemSettings, type SettingKey } from '#shared/contract/settings.ts'
import { sql } from '../db/sql.ts'
import { newId } from '../db/newId.ts'
import { recordChange } from '../events/recordChange.ts'

export interface SettingInput {
  key: SettingKey
  value: string
  /** Real time. */
  effectiveAt: Date
}

/** Puts a new value in force and keeps the old one as history: a block is judged by the price of its own time. */
export async function changeSetting(em: EntityManager, { key, value, effectiveAt }: SettingInput): Promise<void> {
  await sql(em, 'insert into setting_changes (id, key, value, effective_at) values ($1, $2, $3, $4)', [
    newId(),
    key,
    value,
    effectiveAt,
  ])
  await recordChange(em, { keys: [listSystemSettings.path, getNodeSettings.path, getNodeStats.path] })
}
