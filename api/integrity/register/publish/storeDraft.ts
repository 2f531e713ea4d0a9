import type { EntityManager } from '@mikro-orm/postgresql'
import { concatBytes } from '@noble/hashes/utils.js'
import type { GrowingTree } from '#shared/register/tree.ts'
// SQL as text: inserts thousands of entries with their bytes in one statement.
import { sql } from '#api/platform/db/sql.ts'
import { query } from '#api/entities/tables.ts'
import { signCheckpoint } from '../checkpoint.ts'
import { noteSignedHere } from '../registerState.ts'
import type { SignerKey } from '../signedNotes.ts'
import type { DraftEntry } from './Draft.ts'

/** Entries of one statement, so that few are in memory twice. */
const BATCH_SIZE = 2_000

/** Appends entries in the caller's transaction. They are published once a checkpoint covers them (`signLog`). */
export async function storeEntries(em: EntityManager, entries: readonly DraftEntry[], { now }: { now: Date }): Promise<void> {
  for (let start = 0; start < entries.length; start += BATCH_SIZE) {
    const batch = entries.slice(start, start + BATCH_SIZE)
    await sql(
      em,
      `insert into register_entries (index, kind, text, leaf_hash, subject, identity, user_id, appended_at)
       select *, $8 from unnest($1::int[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::uuid[])`,
      [
        batch.map(({ index }) => index),
        batch.map(({ kind }) => kind),
        batch.map(({ text }) => text),
        batch.map(({ leafHash }) => Buffer.from(leafHash)),
        batch.map(({ subject }) => subject),
        batch.map(({ identity }) => identity),
        batch.map(({ userId }) => userId),
        now,
      ],
    )
  }
}

/**
 * Signs the checkpoint that covers appended entries, in their transaction: there are no entries without a signature.
 *
 * @param signers the key in force; after a change of the key also the one before.
 */
export async function signLog(
  em: EntityManager,
  entries: readonly DraftEntry[],
  { tree, signers, now }: { tree: GrowingTree; signers: readonly [SignerKey, ...SignerKey[]]; now: Date },
): Promise<void> {
  for (const { leafHash } of entries) tree.append(leafHash)
  const { size, roots } = tree.state
  const checkpoint = { origin: signers[0].name, size, root: tree.root() }
  await query(em)
    .insertInto('register_checkpoints')
    .values({
      size,
      root: Buffer.from(checkpoint.root),
      subtrees: Buffer.from(concatBytes(...roots)),
      note: signCheckpoint(checkpoint, ...signers),
      createdAt: now,
    })
    .execute()
  await noteSignedHere(em)
}
