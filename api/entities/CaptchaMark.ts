import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'

/** A session has solved a captcha. The next call that demands one uses it up, within 10 minutes. */
export const CaptchaMarkSchema = defineEntity({
  name: 'CaptchaMark',
  tableName: 'captcha_marks',
  properties: {
    id: idColumn(),
    sessionKey: p.uuid().index(),
    /** SHA-256 of the solved puzzle: a token works once, in whatever session. */
    tokenHash: p.string().length(64).unique(),
    /** Real time. */
    grantedAt: instantColumn(),
    consumedAt: instantColumn().nullable(),
  },
})

export class CaptchaMark extends CaptchaMarkSchema.class {}
CaptchaMarkSchema.setClass(CaptchaMark)
