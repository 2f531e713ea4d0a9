import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { Administrator } from './Administrator.ts'
import { User } from './User.ts'

/**
 * A browser from which an account has logged in before: a user's login from any other one is mailed to the owner. While its epoch is that
 * of the account, its failures are counted apart from those of strangers (money.md 34).
 */
export const KnownDeviceSchema = defineEntity({
  name: 'KnownDevice',
  tableName: 'known_devices',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref().nullable().deleteRule('no action'),
    administrator: () => p.manyToOne(Administrator).ref().nullable().deleteRule('no action'),
    /** SHA-256 of the random name in the browser's long-lived cookie. */
    tokenHash: p.string().length(64),
    firstSeenAt: instantColumn(),
    lastSeenAt: instantColumn(),
    /** The account's at the last login. Null, or another than the account has now: a stranger. */
    accountEpoch: p.integer().nullable(),
    /** When it last showed a code of the authenticator. */
    codeShownAt: instantColumn().nullable(),
    /** As for accounts, counted once it has shown a code of the authenticator that is enabled. */
    otpFailures: p.integer().default(0),
    otpLockedUntil: instantColumn().nullable(),
    otpLocks: p.integer().default(0),
  },
  uniques: [{ properties: ['user', 'tokenHash'] }, { properties: ['administrator', 'tokenHash'] }],
})

export class KnownDevice extends KnownDeviceSchema.class {}
KnownDeviceSchema.setClass(KnownDevice)
