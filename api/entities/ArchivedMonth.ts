import { defineEntity, p } from '@mikro-orm/postgresql'
import { instantColumn } from '#api/platform/db/columns.ts'

/**
 * A month whose partitions were detached and archived, with what they said then (decision 47). All earlier months are archived too.
 * Append-only, and written by the owner of the tables alone.
 */
export const ArchivedMonthSchema = defineEntity({
  name: 'ArchivedMonth',
  tableName: 'archived_months',
  properties: {
    /** Its first day. */
    month: p.date().primary(),
    /** Number of entries, and of distributions with the sum of their nodes. */
    entries: p.bigint('number'),
    rewards: p.bigint('number'),
    nodes: p.bigint('number'),
    /** The XCR moved, in the smallest unit, by the first word of the causes. */
    moved: p.json<Record<string, string>>(),
    /** Of the content of the two files, before compression. */
    ledgerSha256: p.string().length(64),
    rewardsSha256: p.string().length(64),
    /** Real time. */
    archivedAt: instantColumn(),
  },
})

export class ArchivedMonth extends ArchivedMonthSchema.class {}
ArchivedMonthSchema.setClass(ArchivedMonth)
