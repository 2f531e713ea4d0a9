import { receiptKeyName } from '#shared/register/receipts.ts'
import { appendFacts } from '#api/integrity/register/publish/appendFacts.ts'
import { signerOf } from '#api/integrity/register/signedNotes.ts'
import { query } from '#api/entities/tables.ts'
import type { Services } from '#api/platform/services.ts'
import { openReceipt } from './openNotes.ts'

/** Begins the log, whose first entry receipts name. @returns how to open its receipts. */
export async function openRegister(services: Pick<Services, 'clock' | 'orm' | 'config'>) {
  await appendFacts(services)
  const { origin, receiptKey } = services.config.register!
  const key = signerOf(receiptKeyName(origin), receiptKey)
  const genesis = await query(services.orm.em.fork())
    .selectFrom('register_entries')
    .select('leafHash')
    .where('index', '=', 0)
    .executeTakeFirstOrThrow()
  return { genesis: Uint8Array.from(genesis.leafHash), open: (note: string) => openReceipt(note, [key]) }
}
