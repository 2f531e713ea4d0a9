import { OutgoingMail } from '#api/platform/tables/OutgoingMail.ts'
import type { TestDatabase } from './database.ts'

/** Returns the mails to an address from the outbox, newest first. */
export const mailsTo = (database: Pick<TestDatabase, 'orm'>, address: string): Promise<OutgoingMail[]> =>
  database.orm.em.fork().find(OutgoingMail, { to: address }, { orderBy: { createdAt: 'desc', id: 'desc' } })

/** Returns the code of the newest mail: the first six-digit number in its text. */
export async function mailedCode(database: Pick<TestDatabase, 'orm'>, address: string): Promise<string> {
  const [mail] = await mailsTo(database, address)
  const code = /\d{6}/.exec(mail?.text ?? '')?.[0]
  if (!code) throw new Error(`No code was mailed to ${address}.`)
  return code
}
