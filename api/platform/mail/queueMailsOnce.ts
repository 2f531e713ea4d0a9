import type { EntityManager } from '@mikro-orm/postgresql'
import { createHash } from 'node:crypto'
import { sql } from '../db/sql.ts'
import type { JobQueue } from '../jobs/JobQueue.ts'
import type { Mail } from './mailTransport.ts'
import { sendMailJob } from './queueMail.ts'

/** A mail that has a name, such as that of its reader and day: one name is mailed once. */
export interface NamedMail extends Mail {
  name: string
}

/** Writes many mails in the caller's transaction, those of them that were not written before. */
export async function queueMailsOnce(em: EntityManager, jobs: JobQueue, mails: readonly NamedMail[]): Promise<void> {
  if (mails.length === 0) return
  const written = await sql<{ id: string }>(
    em,
    `insert into outgoing_mails (id, recipient, subject, text, html, created_at, next_attempt_at)
     select *, now(), now() from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])
     on conflict (id) do nothing returning id`,
    [
      mails.map(({ name }) => idOf(name)),
      mails.map(({ to }) => to),
      mails.map(({ subject }) => subject),
      mails.map(({ text }) => text),
      mails.map(({ html }) => html),
    ],
  )
  if (written.length > 0) await jobs.enqueue(em, sendMailJob, ...written.map(({ id }) => ({ mailId: id })))
}

/** A UUID (version 8) that is the same for the same name. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
