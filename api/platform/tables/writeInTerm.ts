import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { LeadershipLost, type Term } from '../db/lead.ts'
import { query } from './tables.ts'

/**
 * Runs a transaction that only commits while the term is current. The term is verified first and locked until the transaction
 * ends, so that a leader that was paused and replaced cannot write.
 *
 * @throws {LeadershipLost}
 */
export const writeInTerm = <T>(
  orm: MikroORM,
  { role, epoch }: Pick<Term, 'role' | 'epoch'>,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> =>
  orm.em.fork().transactional(async (em) => {
    const row = await query(em).selectFrom('leaderships').select('epoch').where('role', '=', role).forShare().executeTakeFirst()
    if (row?.epoch !== epoch) throw new LeadershipLost(`Term ${epoch} as ${role} is over.`)
    return work(em)
  })
