import type { EntityManager } from '@mikro-orm/postgresql'
import type { listAudit as contract } from '#shared/contract/admin/audit.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { query } from '#api/entities/tables.ts'
import type { Page } from '../lists/pagedLists.ts'
import { presentPaging } from '#api/platform/http/presentPaging.ts'
import { type AuditFilter, ENTRIES_SEARCHED, findEntries, isIndexed, readTargets } from './auditFilter.ts'
import { findOwners } from './findOwners.ts'

/** A page of the log, newest first. The pages cover its newest entries only, however long it is. */
export async function listAudit(
  em: EntityManager,
  { limit, offset, ...filter }: Page & AuditFilter,
): Promise<Output<typeof contract>> {
  const newest = !isIndexed(filter)
  const found = findEntries(em, { ...filter, targets: await readTargets(em, filter.person), newest })
  const { count, isLong } = await query(em)
    .selectFrom(
      found
        .select('e.id')
        .limit(ENTRIES_SEARCHED + 1)
        .as('found'),
    )
    .select(({ fn, exists, selectFrom }) => [
      fn.countAll<number>().as('count'),
      exists(selectFrom('audit_entries').select('id').offset(ENTRIES_SEARCHED)).as('isLong'),
    ])
    .executeTakeFirstOrThrow()
  const totalCount = Math.min(count, ENTRIES_SEARCHED)
  const entries = await found
    .select(['e.id', 'e.at', 'e.actor', 'e.ipAddress as ip', 'e.action', 'e.target', 'e.before', 'e.after'])
    .orderBy('e.at', 'desc')
    .orderBy('e.id', 'desc')
    .offset(offset)
    .limit(Math.max(0, Math.min(limit, totalCount - offset)))
    .execute()
  const ownerOf = await findOwners(em, entries)
  return {
    entries: entries.map((entry) => ({ ...entry, userId: ownerOf(entry) })),
    ...presentPaging({ totalCount, limit, offset }),
    isCut: count > ENTRIES_SEARCHED || (newest && Boolean(isLong)),
    actions: await readActions(em),
  }
}

/** Jumps from one action to the next in the index, because there are few actions and many entries. */
async function readActions(em: EntityManager): Promise<string[]> {
  const rows = await query(em)
    .withRecursive('actions', (db) =>
      db
        .selectFrom(db.selectFrom('audit_entries').select('action').orderBy('action').limit(1).as('first'))
        .select('first.action')
        .unionAll(
          db
            .selectFrom('actions as a')
            .innerJoinLateral(
              (eb) =>
                eb
                  .selectFrom('audit_entries as e')
                  .select('e.action')
                  .whereRef('e.action', '>', 'a.action')
                  .orderBy('e.action')
                  .limit(1)
                  .as('next'),
              (join) => join.onTrue(),
            )
            .select('next.action'),
        ),
    )
    .selectFrom('actions')
    .select('action')
    .execute()
  return rows.map(({ action }) => action)
}
