import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'

export const emailCodePurposes = ['register', 'reset'] as const

/** A mailed 6-digit code. A newer one for the same address, purpose and device replaces it. */
export const EmailCodeSchema = defineEntity({
  name: 'EmailCode',
  tableName: 'email_codes',
  properties: {
    id: idColumn(),
    email: p.string().length(254),
    purpose: p.enum(emailCodePurposes),
    /** The known device that requested it; null for strangers. */
    deviceId: p.uuid().nullable(),
    codeHash: p.string().length(64),
    sentAt: instantColumn(),
    expiresAt: instantColumn(),
    wrongTries: p.integer().default(0),
    usedAt: instantColumn().nullable(),
  },
  indexes: [{ properties: ['email', 'purpose', 'sentAt'] }],
})

export class EmailCode extends EmailCodeSchema.class {}
EmailCodeSchema.setClass(EmailCode)
