import { encodeEntry } from '#shared/register/entries.ts'
import { receiptKeyName } from '#shared/register/receipts.ts'
import { leafHash } from '#shared/register/tree.ts'
import { openReceipt } from '#api/integrity/register/receipts.ts'
import { signerOf } from '#api/integrity/register/signedNotes.ts'
import { query } from '#api/entities/tables.ts'
import type { Services } from '#api/platform/services.ts'

/** Appends the first entry of a log, which receipts name. @returns how to open its receipts. */
export async function openRegister({ clock, orm, config }: Pick<Services, 'clock' | 'orm' | 'config'>) {
  const { origin, signingKey, receiptKey } = config.register!
  const key = signerOf(receiptKeyName(origin), receiptKey)
  const token = { chainId: 56, address: config.USDT_ADDRESS, decimals: 18 }
  const text = encodeEntry({
    kind: 'genesis',
    time: clock.now(),
    origin,
    clock: 'real',
    payment: token,
    reward: token,
    anchor: null,
    logKey: signerOf(origin, signingKey).key,
    receiptKey: key.key,
  })
  const genesis = leafHash(Buffer.from(text))
  await query(orm.em.fork())
    .insertInto('register_entries')
    .values({ index: 0, kind: 'genesis', text, leafHash: genesis, appendedAt: clock.now() })
    .execute()
  return { genesis, open: (note: string) => openReceipt(note, [key]) }
}
