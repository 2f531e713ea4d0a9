import type { EntityManager } from '@mikro-orm/postgresql'
import type { listBonusDue } from '#shared/contract/admin/bonus.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { readNodeStats } from '../supply/readNodeStats.ts'
import { readDueBonus } from './readDueBonus.ts'

/** What would be granted if all that is due were granted now, and how much is left for it. */
export async function listDueBonus(em: EntityManager): Promise<Output<typeof listBonusDue>> {
  const users = await readDueBonus(em)
  const { remaining } = await readNodeStats(em)
  return { users, totalNodes: users.reduce((sum, { bonusPending }) => sum + bonusPending, 0), remaining }
}
