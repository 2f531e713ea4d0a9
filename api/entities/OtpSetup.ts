import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { sessionRealms } from '#api/platform/tables/WebSession.ts'

/** An authenticator secret that is not confirmed yet; only the session that received it may enable it. */
export const OtpSetupSchema = defineEntity({
  name: 'OtpSetup',
  tableName: 'otp_setups',
  properties: {
    id: idColumn(),
    realm: p.enum(sessionRealms).default('user'),
    /** The user or administrator. */
    accountId: p.uuid(),
    sessionKey: p.uuid(),
    /** Encrypted. */
    secret: p.text(),
    expiresAt: instantColumn(),
  },
  uniques: [{ properties: ['accountId', 'sessionKey'] }],
})

export class OtpSetup extends OtpSetupSchema.class {}
OtpSetupSchema.setClass(OtpSetup)
