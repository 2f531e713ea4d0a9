import type { EntityManager } from '@mikro-orm/postgresql'
import { settingDefaults, settingKeys } from '#shared/settings.ts'
import { changeSetting } from './changeSetting.ts'

/** Stores each setting's default, so that the history of prices and rates starts at the installation. `now` is real time. */
export async function storeDefaults(em: EntityManager, now: Date): Promise<void> {
  for (const key of settingKeys) await changeSetting(em, { key, value: settingDefaults[key], effectiveAt: now })
}
