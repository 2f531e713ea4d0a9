import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'

/** A captcha solved by a session. The next call that requires one consumes it, within 10 minutes. */
export const CaptchaMarkSchema = defineEntity({
  name: 'CaptchaMark',
  tableName: 'captcha_marks',
  properties: {
    id: idColumn(),
    sessionKey: p.uuid().index(),
    /** SHA-256 of the solved captcha: a token works once across all sessions. */
    tokenHash: p.string().length(64).unique(),
    /** Real time. */
    grantedAt: instantColumn(),
    consumedAt: instantColumn().nullable(),
  },
})

export class CaptchaMark extends CaptchaMarkSchema.class {}
CaptchaMarkSchema.setClass(CaptchaMark)
