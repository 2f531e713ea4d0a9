import { type TestDatabase } from './database.ts'
import { mailsTo } from './mails.ts'

/** The tokens of the freeze links mailed to an address, newest first. */
export async function freezeTokensTo(database: Pick<TestDatabase, 'orm'>, address: string): Promise<string[]> {
  const mails = await mailsTo(database, address)
  return mails.flatMap(({ text }) => /\/freeze#token=([\w-]+)/.exec(text)?.[1] ?? [])
}
