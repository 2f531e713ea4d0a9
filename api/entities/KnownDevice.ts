import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { Administrator } from './Administrator.ts'
import { User } from './User.ts'

/**
 * A browser from which an account has logged in before. While its epoch equals the account's, its failures are counted separately
 * from those of strangers (money.md 34), and a user is not emailed about its logins.
 */
export const KnownDeviceSchema = defineEntity({
  name: 'KnownDevice',
  tableName: 'known_devices',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref().nullable().deleteRule('no action'),
    administrator: () => p.manyToOne(Administrator).ref().nullable().deleteRule('no action'),
    /** SHA-256 of the random token in the browser's long-lived cookie. */
    tokenHash: p.string().length(64),
    firstSeenAt: instantColumn(),
    lastSeenAt: instantColumn(),
    /** The account's epoch at the last login. If it is null or outdated, the device counts as a stranger. */
    accountEpoch: p.integer().nullable(),
    /** When a code of the authenticator was last entered on it. Cleared when an unknown device becomes known again. */
    codeShownAt: instantColumn().nullable(),
    /** Like the account's count, used once the device has entered a code of the enabled authenticator. */
    otpFailures: p.integer().default(0),
    otpLockedUntil: instantColumn().nullable(),
    otpLocks: p.integer().default(0),
  },
  uniques: [{ properties: ['user', 'tokenHash'] }, { properties: ['administrator', 'tokenHash'] }],
  // For a browser whose request names no account.
  indexes: [{ properties: ['tokenHash'] }],
})

export class KnownDevice extends KnownDeviceSchema.class {}
KnownDeviceSchema.setClass(KnownDevice)
