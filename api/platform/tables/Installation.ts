import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn, instantColumn } from '../db/columns.ts'

/** The state of the whole installation. One row, id 1. */
export const InstallationSchema = defineEntity({
  name: 'Installation',
  tableName: 'installation',
  properties: {
    id: p.integer().primary().autoincrement(false),
    /** When the first administrator was created; null until then. Set once, by a conditional UPDATE. */
    setUpAt: instantColumn().nullable(),
    /** SHA-256 of the setup link's token, which is required unless the chains are embedded. */
    setupTokenHash: p.string().length(64).nullable(),
    /** Derived from the encryption key, so that a process with another key does not start; null until the first start. */
    encryptionKeyCheck: p.string().length(64).nullable(),
    /** IP addresses that may use the back office, normalized; null allows any. */
    adminAllowedIps: p.array<string>().columnType('text[]').nullable(),
    /** The addresses given at setup, kept as a record. */
    adminInitialIps: p.array<string>().columnType('text[]').nullable(),
    /** When vesting was started, in product time; null before that. For display only: it locks nothing. */
    vestingStartedAt: instantColumn().nullable(),
    /** The offset of product time from real time, in milliseconds. Only a demo changes it, and only forward. */
    clockOffsetMs: p.bigint('number').default(0),
    /** Caps of payouts set in the panel; null: only the environment's. They never raise those (money.md 27). */
    payoutCapHour: amountColumn().nullable(),
    payoutCapDay: amountColumn().nullable(),
  },
  checks: [{ name: 'installation_one_row', expression: 'id = 1' }],
})

export class Installation extends InstallationSchema.class {}
InstallationSchema.setClass(Installation)
