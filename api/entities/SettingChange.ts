import { defineEntity, p } from '@mikro-orm/postgresql'
import { settingKeys } from '#shared/settings.ts'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'

/**
 * A setting's value from a point in time on. The latest is in force; earlier ones show what was in force when a block was mined.
 */
export const SettingChangeSchema = defineEntity({
  name: 'SettingChange',
  tableName: 'setting_changes',
  properties: {
    id: idColumn(),
    key: p.enum(settingKeys),
    value: p.text(),
    /** Real time. */
    effectiveAt: instantColumn(),
    /** The same time in product time, with which a day's 09:00 is compared. */
    productEffectiveAt: instantColumn(),
    /** The actor as in the audit log; null for the initial values. */
    setBy: p.string().length(300).nullable(),
  },
  indexes: [{ properties: ['key', 'effectiveAt'] }],
})

export class SettingChange extends SettingChangeSchema.class {}
SettingChangeSchema.setClass(SettingChange)
