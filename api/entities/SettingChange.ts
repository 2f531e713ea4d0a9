import { defineEntity, p } from '@mikro-orm/postgresql'
import { settingKeys } from '#shared/settings.ts'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'

/** A value a setting had from an instant on. The latest is in force; the others tell what was in force when a block was mined. */
export const SettingChangeSchema = defineEntity({
  name: 'SettingChange',
  tableName: 'setting_changes',
  properties: {
    id: idColumn(),
    key: p.enum(settingKeys),
    value: p.text(),
    /** Real time. */
    effectiveAt: instantColumn(),
    /** The same instant in product time, which a demo moves: what a day's 09:00 is compared with. */
    productEffectiveAt: instantColumn(),
    /** Who wanted it so, as in the audit log; null where it came with the installation. */
    setBy: p.string().length(300).nullable(),
  },
  indexes: [{ properties: ['key', 'effectiveAt'] }],
})

export class SettingChange extends SettingChangeSchema.class {}
SettingChangeSchema.setClass(SettingChange)
