import type { EntityManager } from '@mikro-orm/postgresql'
import { query, type Tables } from '#api/entities/tables.ts'
import type { ExpressionBuilder } from 'kysely'

type OfRuns = Tables & { r: Tables['reward_runs'] }

/**
 * An account's daily rewards, archived months included, without corrections: the table `d` beside the runs `r`.
 *
 * Reads day by day, because the rows are clustered by day and not by account. The offset keeps the planner from reading those of all
 * accounts.
 */
export const dailyRewards = (em: EntityManager, userId: string) => {
  const ofDay = (eb: ExpressionBuilder<OfRuns, 'r'>) =>
    eb
      .selectFrom('distributions as one')
      .select(['one.id', 'one.amount', 'one.createdAt as at', 'one.activeNodes as count', 'one.rate'])
      .whereRef('one.day', '=', 'r.day')
      .where('one.user', '=', userId)
  const ofArchivedDay = (eb: ExpressionBuilder<OfRuns, 'r'>) =>
    eb
      .selectFrom('archived_distributions as old')
      .select(['old.id', 'old.amount', 'old.createdAt as at', 'old.activeNodes as count', 'old.rate'])
      .whereRef('old.day', '=', 'r.day')
      .where('old.user', '=', userId)
  return query(em)
    .selectFrom('reward_runs as r')
    .innerJoinLateral(
      (eb) => ofDay(eb).unionAll(ofArchivedDay(eb)).offset(0).as('d'),
      (join) => join.onTrue(),
    )
}
