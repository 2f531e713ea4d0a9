import { defineEntity, p } from '@mikro-orm/postgresql'
import { instantColumn } from '../db/columns.ts'

/** What is true of this installation as a whole. One row, id 1. */
export const InstallationSchema = defineEntity({
  name: 'Installation',
  tableName: 'installation',
  properties: {
    id: p.integer().primary().autoincrement(false),
    /** When the first administrator was made; null until then. Set once, by a conditional UPDATE. */
    setUpAt: instantColumn().nullable(),
    /** SHA-256 of the token of the set-up link; demanded in production. */
    setupTokenHash: p.string().length(64).nullable(),
    /** Addresses that may use the back office; null means any. Normalised. */
    adminAllowedIps: p.array<string>().columnType('text[]').nullable(),
    /** The addresses given at set-up; a record. */
    adminInitialIps: p.array<string>().columnType('text[]').nullable(),
    /** When vesting was started, by product time; null while it is not. Information only: it locks nothing. */
    vestingStartedAt: instantColumn().nullable(),
    /** How far product time is ahead of real time, in milliseconds. Moved in a demo only, forward only. */
    clockOffsetMs: p.bigint('number').default(0),
  },
  checks: [{ name: 'installation_one_row', expression: 'id = 1' }],
})

export class Installation extends InstallationSchema.class {}
InstallationSchema.setClass(Installation)
