import type { EntityManager } from '@mikro-orm/postgresql'

/** Queries use entity properties instead of column names, and convert values like the entities. */
export interface Naming {
  columnNamingStrategy: 'property'
  convertValues: true
}

/** Typed queries over the given tables, in the transaction of `em` if one is open. */
export const typedQuery = <Tables>(em: EntityManager) =>
  em.getKysely<Tables, Naming>({ columnNamingStrategy: 'property', convertValues: true })
