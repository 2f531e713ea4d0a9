import type { EntityManager } from '@mikro-orm/postgresql'
import { parseEntry } from '#shared/register/entries.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { GrowingTree, HASH_SIZE } from '#shared/register/tree.ts'
import { query } from '#api/entities/tables.ts'

export interface OpenLog {
  genesis: EntryOf<'genesis'>
  /** The leaf hash of entry 0. */
  genesisHash: Uint8Array
  /** Grows with the appended entries. */
  tree: GrowingTree
  logKey: Uint8Array
  receiptKey: Uint8Array
}

/** The log as it is stored; undefined before its first entry. */
export async function openLog(em: EntityManager): Promise<OpenLog | undefined> {
  const last = await query(em)
    .selectFrom('register_checkpoints')
    .select(['size', 'subtrees'])
    .orderBy('size', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!last) return undefined
  const rows = await query(em)
    .selectFrom('register_entries')
    .select(['text', 'leafHash'])
    .where('kind', 'in', ['genesis', 'key'])
    .orderBy('index')
    .execute()
  const [first, ...changes] = rows.map(({ text }) => parseEntry(text))
  if (first?.kind !== 'genesis') throw new Error('The register has a checkpoint and no genesis.')
  const keys = { log: first.logKey, receipt: first.receiptKey }
  for (const change of changes) if (change.kind === 'key' && change.use !== 'proof' && change.new) keys[change.use] = change.new
  return {
    genesis: first,
    genesisHash: rows[0]!.leafHash,
    tree: new GrowingTree({ size: last.size, roots: splitHashes(last.subtrees) }),
    logKey: keys.log,
    receiptKey: keys.receipt,
  }
}

const splitHashes = (bytes: Uint8Array): Uint8Array[] =>
  Array.from({ length: bytes.length / HASH_SIZE }, (_, index) => bytes.subarray(index * HASH_SIZE, (index + 1) * HASH_SIZE))
