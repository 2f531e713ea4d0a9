import { z } from 'zod'
import { instant } from '../../wire/instant.ts'
import { endpoint, everyRole } from '../endpoint.ts'
import { formatField } from './filters.ts'
import { pageQuery, pagingFields, searchText } from '../paging.ts'

export const AUDIT_ROWS_PER_PAGE = 50

export const auditRow = z.object({
  id: z.uuid(),
  at: instant,
  /** `admin:<username>`, `user:<email>`, `operator:<login name>`, `visitor` or `system`. */
  actor: z.string(),
  ip: z.string().nullable(),
  action: z.string(),
  target: z.string().nullable(),
  /** The account that the target is or belongs to, if there is one. Only in the log of everybody. */
  userId: z.uuid().optional(),
  before: z.unknown(),
  after: z.unknown(),
})
export type AuditRow = z.output<typeof auditRow>

const filter = {
  /** One of the response's `actions`. */
  action: searchText.optional(),
  actor: searchText.optional(),
  /** The email address of an account: entries about it, its purchases, withdrawals and deposits, and of what it did itself. */
  person: searchText.optional(),
  from: instant.optional(),
  /** Exclusive. */
  until: instant.optional(),
}

/** Newest first. */
export const listAudit = endpoint({
  method: 'GET',
  path: '/api/admin/audit',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  query: pageQuery(AUDIT_ROWS_PER_PAGE).extend(filter),
  response: z.object({
    entries: z.array(auditRow),
    ...pagingFields,
    /** There are more entries than the pages cover; a filter or the export reaches them. */
    isCut: z.boolean(),
    /** All known actions, for the filter. */
    actions: z.array(z.string()),
  }),
})

/** All matching entries as a file. */
export const exportAudit = endpoint({
  method: 'GET',
  path: '/api/admin/audit/export',
  access: 'admin',
  roles: ['viewer', 'finance'],
  limit: 'export',
  query: z.object({ ...filter, ...formatField }),
  response: z.never(),
})
