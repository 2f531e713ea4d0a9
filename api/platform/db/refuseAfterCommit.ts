import type { EntityManager } from '@mikro-orm/postgresql'
import { DomainError } from '../errors.ts'

/**
 * Runs work in a transaction that commits even if its answer is a refusal, which is then thrown. For counts of wrong tries: thrown
 * inside, the refusal would roll back the very count that led to it.
 */
export async function refuseAfterCommit<T>(em: EntityManager, work: (em: EntityManager) => Promise<T | DomainError>): Promise<T> {
  const answer = await em.transactional(work)
  if (answer instanceof DomainError) throw answer
  return answer
}
