import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { sessionRealms } from '#api/platform/tables/WebSession.ts'

/** What a passkey may sign: registering it, logging in, or confirming a change of passkeys. */
export const passkeyPurposes = ['register', 'login', 'confirm'] as const

/** Random bytes for a passkey to sign, once, in one session and for one purpose. The answer deletes the row. */
export const PasskeyChallengeSchema = defineEntity({
  name: 'PasskeyChallenge',
  tableName: 'passkey_challenges',
  properties: {
    id: idColumn(),
    /** SHA-256 of the challenge in base64url. */
    challengeHash: p.string().length(64).unique(),
    realm: p.enum(sessionRealms),
    purpose: p.enum(passkeyPurposes),
    sessionKey: p.uuid(),
    /** The user or administrator; null where the passkey tells who logs in. */
    accountId: p.uuid().nullable(),
    expiresAt: instantColumn().index(),
  },
})

export class PasskeyChallenge extends PasskeyChallengeSchema.class {}
PasskeyChallengeSchema.setClass(PasskeyChallenge)
