import type { EntityManager } from '@mikro-orm/postgresql'
import type { listBonusDue } from '#shared/contract/admin/bonus.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { readNodeStats } from '../supply/readNodeStats.ts'
import { readDueBonus } from './readDueBonus.ts'

/** The due bonus nodes of all accounts, and the supply left for them. */
export async function listDueBonus(em: EntityManager): Promise<Output<typeof listBonusDue>> {
  const users = await readDueBonus(em)
  const { remaining } = await readNodeStats(em)
  return { users, totalNodes: users.reduce((sum, { bonusPending }) => sum + bonusPending, 0), remaining }
}
