import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { listIgnoredDeposits as contract } from '#shared/contract/admin/deposits.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { query } from '#api/entities/tables.ts'
import { presentPaging } from '#api/platform/http/presentPaging.ts'
import { patternOf } from './matchRows.ts'

/** Ignored deposits, newest first. Dust is ignored automatically and must be found when its sender contacts support. */
export async function listIgnoredDeposits(
  em: EntityManager,
  { search = '', limit, offset }: { search?: string | undefined; limit: number; offset: number },
): Promise<Output<typeof contract>> {
  const pattern = patternOf(search)
  const found = query(em)
    .selectFrom('deposits as d')
    .leftJoin('users as u', 'u.id', 'd.user')
    .where('d.state', '=', 'ignored')
    .$if(search !== '', (deposits) =>
      deposits.where((eb) =>
        eb.or([
          sql<boolean>`${eb.ref('d.sender')} like ${pattern}`,
          sql<boolean>`${eb.ref('d.transactionHash')} like ${pattern}`,
          sql<boolean>`${eb.ref('u.email')} like ${pattern}`,
        ]),
      ),
    )
  const { totalCount } = await found.select(({ fn }) => fn.countAll<number>().as('totalCount')).executeTakeFirstOrThrow()
  const deposits = await found
    .select(['d.id', 'd.transactionHash', 'd.sender', 'd.amount', 'u.email as probableUserEmail', 'd.notes'])
    .select('d.firstSeenAt as seenAt')
    .orderBy('d.firstSeenAt', 'desc')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { deposits, ...presentPaging({ totalCount, limit, offset }) }
}
