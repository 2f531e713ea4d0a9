import type { EntityManager } from '@mikro-orm/postgresql'
import type { AuditRow, listAudit as contract } from '#shared/contract/admin/audit.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Page } from '../lists/pagedLists.ts'
import { presentPaging } from '../lists/presentPaging.ts'
import { type AuditFilter, auditCondition, auditSource, ENTRIES_SEARCHED } from './auditFilter.ts'

/** A page of the log, latest first. However long the log is, the pages reach back over its newest entries only. */
export async function listAudit(
  em: EntityManager,
  { limit, offset, ...filter }: Page & AuditFilter,
): Promise<Output<typeof contract>> {
  const source = auditSource(filter)
  const { condition, parameters } = auditCondition(filter)
  const [counted] = await sql<{ count: number; is_long: boolean }>(
    em,
    `select count(*)::int as count, exists (select from audit_entries offset ${ENTRIES_SEARCHED}) as is_long
     from (select from ${source} where ${condition} limit ${ENTRIES_SEARCHED + 1}) found`,
    parameters,
  )
  const totalCount = Math.min(counted!.count, ENTRIES_SEARCHED)
  const rows = await sql<Omit<AuditRow, 'at'> & { at: string }>(
    em,
    `select id, at, actor, ip_address as ip, action, target, before, after from ${source} where ${condition}
     order by at desc, id desc offset ${parameterAfter(parameters, 1)} limit ${parameterAfter(parameters, 2)}`,
    [...parameters, offset, Math.max(0, Math.min(limit, totalCount - offset))],
  )
  return {
    entries: rows.map((row) => ({ ...row, at: new Date(row.at) })),
    ...presentPaging({ totalCount, limit, offset }),
    isCut: counted!.count > ENTRIES_SEARCHED || (source !== 'audit_entries' && counted!.is_long),
    actions: await readActions(em),
  }
}

const parameterAfter = (parameters: readonly unknown[], place: number) => `$${parameters.length + place}`

/** From one action to the next, by the index: there are few actions and many entries. */
async function readActions(em: EntityManager): Promise<string[]> {
  const rows = await sql<{ action: string }>(
    em,
    `with recursive actions as (
       (select action from audit_entries order by action limit 1)
       union all
       select next.action from actions
       cross join lateral (select action from audit_entries where action > actions.action order by action limit 1) next
     ) select action from actions`,
  )
  return rows.map(({ action }) => action)
}
