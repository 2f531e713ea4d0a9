import { defineEntity, p } from '@mikro-orm/postgresql'
import { instantColumn } from '../db/columns.ts'

export const sessionRealms = ['user', 'admin'] as const
export type SessionRealm = (typeof sessionRealms)[number]

/** A browser's session. The cookie holds the id and this row its hash, so that a stolen backup contains no usable session. */
export const WebSessionSchema = defineEntity({
  name: 'WebSession',
  tableName: 'web_sessions',
  properties: {
    /** SHA-256 of the id in the cookie. */
    idHash: p.string().length(64).primary(),
    realm: p.enum(sessionRealms),
    /** Identifies the session in related rows (step-up marks, verified addresses). */
    key: p.uuid(),
    /** The user or administrator that is logged in. */
    accountId: p.uuid().nullable().index(),
    /** The account's epoch at login. */
    accountEpoch: p.integer().nullable(),
    data: p.json<Record<string, unknown>>(),
    ipAddress: p.string().length(45).nullable(),
    userAgent: p.string().length(300).nullable(),
    createdAt: instantColumn(),
    lastSeenAt: instantColumn(),
    expiresAt: instantColumn().index(),
  },
})

export class WebSession extends WebSessionSchema.class {}
WebSessionSchema.setClass(WebSession)
