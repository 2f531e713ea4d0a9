import type { EntityManager } from '@mikro-orm/postgresql'
import type { Output } from '#shared/contract/endpoint.ts'
import type * as contract from '#shared/contract/register.ts'
import { query } from '#api/entities/tables.ts'

/** The first and the last day of the register. */
export async function findRegisterDays(em: EntityManager): Promise<Output<typeof contract.findRegisterDays>> {
  const { first, last } = await query(em)
    .selectFrom('register_days')
    .select(({ fn }) => [fn.min('day').as('first'), fn.max('day').as('last')])
    .executeTakeFirstOrThrow()
  return { days: first && last ? { first, last } : null }
}
