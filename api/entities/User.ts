import { defineEntity, p } from '@mikro-orm/postgresql'
import { languages } from '#shared/languages.ts'
import { addressColumn, idColumn, instantColumn } from '#api/platform/db/columns.ts'

export const UserSchema = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: idColumn(),
    /** Trimmed and in lower case. */
    email: p.string().length(254).unique(),
    passwordHash: p.text(),
    /** Raised when the password changes or is reset: sessions made under an older one are dead. */
    sessionEpoch: p.integer().default(0),
    profileImageUrl: p.text().nullable(),
    /** A badge in the back office's list, without rights. */
    isAdmin: p.boolean().default(false),

    /** The one registered wallet, in lower case. Its history is `WalletRegistration`. */
    walletAddress: addressColumn().nullable().unique(),

    /** Encrypted. Present while the authenticator is enabled. */
    otpSecret: p.text().nullable(),
    otpEnabledAt: instantColumn().nullable(),
    /** The last time step whose code was used; a code works once. */
    otpLastStep: p.bigint('number').nullable(),
    otpFailures: p.integer().default(0),
    otpLockedUntil: instantColumn().nullable(),
    /** How often the lock was set since the last right code; each one is longer. */
    otpLocks: p.integer().default(0),

    /** Reservations that ran out unpaid since the last purchase or pause. */
    unpaidExpiries: p.integer().default(0),
    reservationsPausedUntil: instantColumn().nullable(),

    /** Until then withdrawals wait for a person: the account was recovered, or lost its authenticator (money.md 17). Real time. */
    withdrawalsReviewedUntil: instantColumn().nullable(),
    /** Whether a mail tells what each day's rewards were. */
    wantsRewardDigest: p.boolean().default(false),
    /** What its mails are written in. */
    language: p.enum(languages).default('en'),

    createdAt: instantColumn(),
  },
  indexes: [
    // The address goes with it, so that what most addresses match is found by the index alone.
    { name: 'users_listed', expression: 'create index users_listed on users (created_at, id) include (email)' },
    // For searches: `matchAccounts`.
    {
      name: 'users_email_trigrams',
      expression: 'create index users_email_trigrams on users using gin (email gin_trgm_ops) with (gin_pending_list_limit = 256)',
    },
    {
      name: 'users_email_grams',
      expression: 'create index users_email_grams on users using gin (email_grams(email)) with (gin_pending_list_limit = 256)',
    },
  ],
})

export class User extends UserSchema.class {}
UserSchema.setClass(User)
