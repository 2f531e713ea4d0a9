import type { EntityManager } from '@mikro-orm/postgresql'
import type { listAnnouncements as contract } from '#shared/contract/admin/announcements.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import type { Language } from '#shared/languages.ts'
import { query } from '#api/entities/tables.ts'
import { inLanguage } from '#api/platform/mail/sentence.ts'
import { readContent } from '#api/platform/mail/storedContent.ts'

const MAX_LISTED = 5

/** The last announcements with their progress, and the number of accounts. */
export async function listAnnouncements(em: EntityManager, language: Language): Promise<Output<typeof contract>> {
  const rows = await query(em)
    .selectFrom('announcements as a')
    .select(['a.id', 'a.content', 'a.createdAt', 'a.createdBy', 'a.finishedAt'])
    .select((eb) => {
      const reached = eb
        .selectFrom('users as u')
        .select((of) => of.fn.countAll<number>().as('count'))
        .whereRef('u.createdAt', '<=', 'a.createdAt')
      return [reached.whereRef('u.id', '<=', 'a.lastToldUser').as('told'), reached.as('total')]
    })
    .orderBy('a.createdAt', 'desc')
    .orderBy('a.id', 'desc')
    .limit(MAX_LISTED)
    .execute()
  const { accounts } = await query(em)
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('accounts'))
    .executeTakeFirstOrThrow()
  return {
    accounts,
    announcements: rows.map(({ content, finishedAt, told, total, ...row }) => {
      const { subject, paragraphs } = readContent(content)
      // The subject of what a person wrote is the same for all.
      const title = row.createdBy === null ? subject : (paragraphs[0] ?? subject)
      return {
        ...row,
        title: inLanguage(language, title),
        told: Number(told),
        total: Number(total),
        isFinished: finishedAt !== null,
      }
    }),
  }
}
