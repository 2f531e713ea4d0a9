import { z } from 'zod'
import { findWordsProblem } from '../../announcementRules.ts'
import { instant } from '../../wire/instant.ts'
import { endpoint, everyRole } from '../endpoint.ts'
import { rowId } from '../rowId.ts'

/** In UTF-16 code units. */
export const MAX_ANNOUNCEMENT_TITLE = 80
export const MAX_ANNOUNCEMENT_TEXT = 1_000

interface WordsOptions {
  /** A title; other texts may have line breaks. */
  isLine: boolean
  ifEmpty: string
}

/** What an operator may write to everybody. */
export const operatorWords = (max: number, options: WordsOptions) =>
  z
    .string()
    .trim()
    .max(max)
    .superRefine((text, context) => {
      const problem = findWordsProblem(text, options)
      if (problem) context.addIssue({ code: 'custom', message: problem })
    })

const ifEmpty = 'Please fill in title and text in both languages.'
export const announcementTitle = operatorWords(MAX_ANNOUNCEMENT_TITLE, { isLine: true, ifEmpty })
export const announcementText = operatorWords(MAX_ANNOUNCEMENT_TEXT, { isLine: false, ifEmpty })

export const announcement = z.object({
  id: rowId,
  /** In the language of the page. */
  title: z.string(),
  /** Product time. */
  createdAt: instant,
  /** The actor as in the audit log; null if no person wrote it. */
  createdBy: z.string().nullable(),
  /** The accounts that were told, of those that existed when it was made. */
  told: z.int(),
  total: z.int(),
  isFinished: z.boolean(),
})
export type Announcement = z.output<typeof announcement>

/** The last announcements, newest first, and how many accounts a new one would tell. */
export const listAnnouncements = endpoint({
  method: 'GET',
  path: '/api/admin/announcements',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  response: z.object({ accounts: z.int(), announcements: z.array(announcement) }),
})

/** Tells all accounts, as plain text without addresses. It can't be taken back. */
export const sendAnnouncement = endpoint({
  method: 'POST',
  path: '/api/admin/announcements',
  access: 'admin',
  roles: ['support'],
  limit: 'announcement',
  body: z.object({
    title: z.object({ en: announcementTitle, ko: announcementTitle }),
    text: z.object({ en: announcementText, ko: announcementText }),
  }),
  response: z.object({ message: z.string() }),
  idempotent: true,
})
