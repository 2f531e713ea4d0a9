import { z } from 'zod'
import { endpoint, everyRole } from '../endpoint.ts'
import { instant } from '../../wire/instant.ts'
import { rowId } from '../rowId.ts'
import { incident } from '../status.ts'
import { MAX_ANNOUNCEMENT_TEXT, MAX_ANNOUNCEMENT_TITLE, operatorWords } from './announcements.ts'

const ifEmpty = 'Please fill in title and text in English. Korean is optional.'
/** Everybody reads them, so the rules of messages to all users apply. */
export const incidentTitle = operatorWords(MAX_ANNOUNCEMENT_TITLE, { isLine: true, ifEmpty })
export const incidentText = operatorWords(MAX_ANNOUNCEMENT_TEXT, { isLine: false, ifEmpty })

/** Without Korean words, the English ones are shown. */
const words = z.object({
  title: z.object({ en: incidentTitle, ko: incidentTitle.nullable().default(null) }),
  text: z.object({ en: incidentText, ko: incidentText.nullable().default(null) }),
})

export const reportedIncident = incident.extend({
  /** The actor as in the audit log. */
  createdBy: z.string(),
})
export type ReportedIncident = z.output<typeof reportedIncident>

const answer = z.object({ message: z.string() })

/** The incidents of the status page, newest first. */
export const listIncidents = endpoint({
  method: 'GET',
  path: '/api/admin/incidents',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  response: z.object({ incidents: z.array(reportedIncident) }),
})

/** Shows an incident on the status page. */
export const startIncident = endpoint({
  method: 'POST',
  path: '/api/admin/incidents',
  access: 'admin',
  roles: ['support', 'finance'],
  limit: 'incident',
  body: words,
  response: answer,
  idempotent: true,
})

/**
 * Replaces the words of an incident, also of a resolved one. Refused if `replaces`, the `updatedAt` of the words that its page shows, is not
 * that of the present ones.
 */
export const updateIncident = endpoint({
  method: 'PATCH',
  path: '/api/admin/incidents/:id',
  access: 'admin',
  roles: ['support', 'finance'],
  limit: 'incident',
  params: z.object({ id: rowId }),
  body: words.extend({ replaces: instant.optional() }),
  response: answer,
  errors: ['value_changed'],
})

/** Says that an incident is over. */
export const resolveIncident = endpoint({
  method: 'POST',
  path: '/api/admin/incidents/:id/resolve',
  access: 'admin',
  roles: ['support', 'finance'],
  limit: 'incident',
  params: z.object({ id: rowId }),
  response: answer,
  errors: ['incident_resolved'],
})
