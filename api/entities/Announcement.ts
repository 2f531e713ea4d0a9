import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import type { StoredContent } from '#api/platform/mail/storedContent.ts'

/** A message to all accounts. They are told in batches, in the order of their ids. */
export const AnnouncementSchema = defineEntity({
  name: 'Announcement',
  tableName: 'announcements',
  properties: {
    id: idColumn(),
    /** What happened, such as `sale_opened:<start>`. It is announced once. */
    cause: p.text().unique(),
    content: p.json().$type<StoredContent>(),
    /** The path of the page with what it is about. */
    link: p.text().nullable(),
    /** Product time. Accounts that are created later are not told. */
    createdAt: instantColumn(),
    /** The actor as in the audit log; null if no person wrote it. */
    createdBy: p.string().length(300).nullable(),
    /** The id of the last account that was told. */
    lastToldUser: p.uuid().nullable(),
    /** Real time. */
    finishedAt: instantColumn().nullable(),
  },
})

export class Announcement extends AnnouncementSchema.class {}
AnnouncementSchema.setClass(Announcement)
