import type { MikroORM } from '@mikro-orm/postgresql'
import { parseEntry } from '#shared/register/entries.ts'
import { readNote } from '#shared/register/signedNotes.ts'
import { leafHash, rootOf } from '#api/integrity/register/verify.mjs'
import vectors from '#api/integrity/register/vectors/vectors.json' with { type: 'json' }
import { sql } from '#api/platform/db/sql.ts'
import { query } from '#api/entities/tables.ts'

const { log } = vectors
const FREE = `01${'00'.repeat(51)}`

export const exampleHashes = log.entries.map((text) => leafHash(Buffer.from(text, 'latin1')))

/** The sizes of the example log at its checkpoints. */
export const exampleSizes = log.checkpoints.map(({ size }) => size)

/** The files of an example day. */
export function exampleDay(day: string): { leaves: Buffer; blockHashes: Buffer } {
  const ofDay = (log.leaves as Record<string, Record<string, string>>)[day] ?? {}
  const leaves = Array.from({ length: log.supply }, (_, index) => Buffer.from(ofDay[index + 1] ?? FREE, 'hex'))
  const hashes = leaves.map(leafHash)
  const blocks = [hashes.slice(0, 256), hashes.slice(256)].map((block) => rootOf(block))
  return { leaves: Buffer.concat(leaves), blockHashes: Buffer.concat(blocks) }
}

/** Deletes what is published. */
export const forgetLog = ({ em }: Pick<MikroORM, 'em'>): Promise<void> =>
  em.fork().transactional(async (em) => {
    await sql(em, 'set local session_replication_role = replica')
    for (const table of ['entries', 'days', 'checkpoints', 'anchors', 'anchorings'])
      await sql(em, `delete from register_${table}`)
    await sql(
      em,
      'update register_state set stopped_because = null, stopped_at = null, unanchored_because = null, signed_in = null',
    )
  })

/** Publishes the example log of the vectors up to one of its checkpoints, after what is published already. */
export async function publishExample({ em }: Pick<MikroORM, 'em'>, { upTo = log.entries.length } = {}): Promise<void> {
  await em.fork().transactional(async (em) => {
    const { count } = await query(em)
      .selectFrom('register_entries')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    for (const [index, text] of log.entries.slice(0, upTo).entries()) {
      if (index < count) continue
      const entry = parseEntry(text)
      await query(em)
        .insertInto('register_entries')
        .values({ index, kind: entry.kind, text, leafHash: exampleHashes[index]!, appendedAt: new Date() })
        .execute()
      if (entry.kind !== 'day') continue
      await query(em)
        .insertInto('register_days')
        .values({ day: entry.day, supply: entry.nodes.size, root: entry.nodes.root, ...exampleDay(entry.day) })
        .execute()
    }
    const checkpoint = log.checkpoints.find(({ size }) => size === upTo)
    if (!checkpoint) throw new Error(`The example has no checkpoint of ${upTo} entries.`)
    const { text } = readNote(checkpoint.note, { keys: [], maxBytes: 4_096 })
    const root = Buffer.from(text.split('\n')[2]!, 'base64')
    await query(em)
      .insertInto('register_checkpoints')
      .values({ size: upTo, root, subtrees: Buffer.alloc(0), note: checkpoint.note, createdAt: new Date() })
      .execute()
  })
}
