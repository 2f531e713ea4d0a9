import type { EntityManager } from '@mikro-orm/postgresql'

/**
 * Makes the commit of a transaction that only reads wait for the standby, as that of a writing one does. What it has read may be of a
 * transaction whose own wait was cut short, which a failover would lose; once this commit is confirmed, so is everything before it.
 */
export const confirmEarlier = (em: EntityManager): Promise<unknown> =>
  em
    .getKysely()
    .selectNoFrom(({ fn }) => fn<string>('pg_current_xact_id', []).as('id'))
    .execute()
