import { DAY, HOUR } from '#shared/dates.ts'
import { EmailCode } from '#api/entities/EmailCode.ts'
import { query } from '#api/entities/tables.ts'
import { newId } from '#api/platform/db/newId.ts'
import { OutgoingMail } from '#api/platform/tables/OutgoingMail.ts'
import { WebSession } from '#api/platform/tables/WebSession.ts'
import { useDatabase } from '#api/testing/database.ts'
import { expect, test } from 'vitest'
import { tidyUp } from './tidyUp.ts'

const database = useDatabase()
const ago = (milliseconds: number) => new Date(Date.now() - milliseconds)

test('what has expired is deleted, and nothing that still counts', async () => {
  const em = database.orm.em.fork()
  const session = (key: string, expiresAt: Date) =>
    em.create(WebSession, {
      idHash: key,
      realm: 'user',
      key: newId(),
      data: {},
      createdAt: ago(DAY),
      lastSeenAt: ago(DAY),
      expiresAt,
    })
  const code = (email: string, expiresAt: Date) =>
    em.create(EmailCode, { id: newId(), email, purpose: 'register', codeHash: 'x', sentAt: ago(3 * DAY), expiresAt })
  const mail = (subject: string, sentAt: Date | null, attemptsEndAt: Date | null = null) =>
    em.create(OutgoingMail, {
      id: newId(),
      to: 'a@example.com',
      subject,
      text: '',
      html: '',
      createdAt: ago(100 * DAY),
      sentAt,
      nextAttemptAt: ago(100 * DAY),
      attemptsEndAt,
    })
  session('expired', ago(HOUR))
  session('open', ago(-HOUR))
  code('old@example.com', ago(2 * DAY))
  code('yesterday@example.com', ago(HOUR))
  mail('sent long ago', ago(91 * DAY))
  mail('sent', ago(89 * DAY))
  mail('not sent yet', null)
  mail('given up long ago', null, ago(8 * DAY))
  mail('given up', null, ago(6 * DAY))
  await em.flush()

  await tidyUp.run({ orm: database.orm })

  const db = query(database.orm.em.fork())
  expect((await db.selectFrom('web_sessions').select('idHash').execute()).map(({ idHash }) => idHash)).toEqual(['open'])
  expect((await db.selectFrom('email_codes').select('email').execute()).map(({ email }) => email)).toEqual([
    'yesterday@example.com',
  ])
  expect(
    (await db.selectFrom('outgoing_mails').select('subject').orderBy('subject').execute()).map(({ subject }) => subject),
  ).toEqual(['given up', 'not sent yet', 'sent'])
})
