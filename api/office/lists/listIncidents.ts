import type { EntityManager } from '@mikro-orm/postgresql'
import type { ReportedIncident } from '#shared/contract/admin/incidents.ts'
import { INCIDENT_DAYS } from '#shared/contract/status.ts'
import { DAY } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'

/** Bounds the page, whatever an operator writes. */
const MAX_LISTED = 50

/** The incidents of the status page, newest first. */
export async function listIncidents(em: EntityManager, now: Date): Promise<ReportedIncident[]> {
  const rows = await query(em)
    .selectFrom('incidents')
    .selectAll()
    .where((eb) => eb.or([eb('resolvedAt', 'is', null), eb('resolvedAt', '>', new Date(now.getTime() - INCIDENT_DAYS * DAY))]))
    .orderBy('startedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_LISTED)
    .execute()
  return rows.map(({ titleEn, titleKo, textEn, textKo, ...row }) => ({
    ...row,
    title: { en: titleEn, ko: titleKo },
    text: { en: textEn, ko: textKo },
  }))
}
