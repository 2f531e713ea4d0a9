import type { EntityManager } from '@mikro-orm/postgresql'
import { parseEntry } from '#shared/register/entries.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { query } from '#api/entities/tables.ts'

export interface LogKeys {
  genesis: EntryOf<'genesis'>
  /** The leaf hash of entry 0. */
  genesisHash: Uint8Array
  /** Signs checkpoints. */
  logKey: Uint8Array
  /** Signs receipts. */
  receiptKey: Uint8Array
}

/** The first entry of the log and the public keys in force by it: those of genesis, or their successors. */
export async function readLogKeys(em: EntityManager): Promise<LogKeys> {
  const rows = await query(em)
    .selectFrom('register_entries')
    .select(['text', 'leafHash'])
    .where('kind', 'in', ['genesis', 'key'])
    .orderBy('index')
    .execute()
  const [genesis, ...changes] = rows.map(({ text }) => parseEntry(text))
  if (genesis?.kind !== 'genesis') throw new Error('The register begins without a genesis entry.')
  const keys = { log: genesis.logKey, receipt: genesis.receiptKey }
  for (const change of changes) if (change.kind === 'key' && change.use !== 'proof' && change.new) keys[change.use] = change.new
  return { genesis, genesisHash: rows[0]!.leafHash, logKey: keys.log, receiptKey: keys.receipt }
}
