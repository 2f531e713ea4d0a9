import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'

/** An incident of the status page, in an operator's words. All times are real time. */
export const IncidentSchema = defineEntity({
  name: 'Incident',
  tableName: 'incidents',
  properties: {
    id: idColumn(),
    titleEn: p.text(),
    titleKo: p.text().nullable(),
    textEn: p.text(),
    textKo: p.text().nullable(),
    startedAt: instantColumn(),
    /** When the words were last changed. */
    updatedAt: instantColumn(),
    /** Null while it lasts. */
    resolvedAt: instantColumn().nullable(),
    /** The actor as in the audit log. */
    createdBy: p.string().length(300),
  },
})

export class Incident extends IncidentSchema.class {}
IncidentSchema.setClass(Incident)
