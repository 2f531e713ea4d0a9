import type { EntityManager } from '@mikro-orm/postgresql'
import { LeadershipLost, type Term } from '../db/lead.ts'
import { query } from './tables.ts'

/**
 * Verifies that the term is current and locks it until the transaction ends. Every write of a leader begins with this check, so
 * that a leader that was paused and replaced cannot write.
 */
export async function requireTerm(em: EntityManager, { role, epoch }: Pick<Term, 'role' | 'epoch'>): Promise<void> {
  const row = await query(em).selectFrom('leaderships').select('epoch').where('role', '=', role).forShare().executeTakeFirst()
  if (row?.epoch !== epoch) throw new LeadershipLost(`Term ${epoch} as ${role} is over.`)
}
