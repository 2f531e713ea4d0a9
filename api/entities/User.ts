import { defineEntity, p } from '@mikro-orm/postgresql'
import { languages } from '#shared/languages.ts'
import { addressColumn, amountColumn, idColumn, instantColumn } from '#api/platform/db/columns.ts'

export const UserSchema = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: idColumn(),
    /** Trimmed and in lower case. */
    email: p.string().length(254).unique(),
    passwordHash: p.text(),
    /** Raised when the password is changed or reset, which ends all sessions of an earlier epoch. */
    sessionEpoch: p.integer().default(0),
    profileImageUrl: p.text().nullable(),
    /** Only a badge in the back office's list; grants no rights. */
    isAdmin: p.boolean().default(false),

    /** The registered wallet, in lower case. `WalletRegistration` has the history. */
    walletAddress: addressColumn().nullable().unique(),

    /** Encrypted. Present while the authenticator is enabled. */
    otpSecret: p.text().nullable(),
    otpEnabledAt: instantColumn().nullable(),
    /** The last time step whose code was used; a code works once. */
    otpLastStep: p.bigint('number').nullable(),
    otpFailures: p.integer().default(0),
    otpLockedUntil: instantColumn().nullable(),
    /** The number of locks since the last correct code; each lock is longer. */
    otpLocks: p.integer().default(0),

    /** For how long nodes were held unpaid since the last purchase or pause, all holds together. */
    unpaidHoldSeconds: p.integer().default(0),
    /** No longer used; the release before this one still counts in it. */
    unpaidExpiries: p.integer().default(0),
    reservationsPausedUntil: instantColumn().nullable(),

    /**
     * Withdrawals are on hold until then, because the account was recovered or lost its authenticator (money.md 17). Real time.
     */
    withdrawalsReviewedUntil: instantColumn().nullable(),
    /** When the account was last frozen (money.md 39). `isFrozen` tells whether it still is. Real time. */
    frozenAt: instantColumn().nullable(),
    /** When it is or was thawed, by the clock alone; null while no thaw is planned. Real time. */
    thawsAt: instantColumn().nullable(),
    /** When the clock removes the authenticator, which one administrator has asked for; null while none has. Real time. */
    otpResetsAt: instantColumn().nullable(),
    /** Who has asked for it, as in the audit log. */
    otpResetBy: p.string().length(300).nullable(),
    /** What the account withdraws within 24 hours at most, as its owner chose. `limitInForce` reads these three. */
    dailyLimit: amountColumn().nullable(),
    /** The limit from `dailyLimitChangesAt` on; null: none. */
    nextDailyLimit: amountColumn().nullable(),
    /** When a raise takes effect, in real time; null while none is planned. */
    dailyLimitChangesAt: instantColumn().nullable(),
    /** Whether the user receives a daily summary of rewards. */
    wantsRewardDigest: p.boolean().default(false),
    /** The language of mails. */
    language: p.enum(languages).default('en'),

    createdAt: instantColumn(),
  },
  indexes: [
    { name: 'users_frozen', expression: 'create index users_frozen on users (created_at, id) where frozen_at is not null' },
    {
      name: 'users_otp_resets',
      expression: 'create index users_otp_resets on users (otp_resets_at) where otp_resets_at is not null',
    },
    // Includes the email, so that searches by email are answered by the index alone.
    { name: 'users_listed', expression: 'create index users_listed on users (created_at, id) include (email)' },
    // For the searches of `matchAccounts`.
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
