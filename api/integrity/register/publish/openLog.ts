import type { EntityManager } from '@mikro-orm/postgresql'
import { GrowingTree, splitHashes } from '#shared/register/tree.ts'
import { query } from '#api/entities/tables.ts'
import { type LogKeys, readLogKeys } from '../readLogKeys.ts'

export interface OpenLog extends LogKeys {
  /** Grows with the appended entries. */
  tree: GrowingTree
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
  const tree = new GrowingTree({ size: last.size, roots: splitHashes(last.subtrees) })
  return { ...(await readLogKeys(em)), tree }
}
