import type { EntityManager } from '@mikro-orm/postgresql'

/** Queries name properties, not columns, and take and answer the properties' values. */
export interface Naming {
  columnNamingStrategy: 'property'
  convertValues: true
}

/** Queries over the given tables, inside the transaction of `em` if it has one open. */
export const typedQuery = <Tables>(em: EntityManager) =>
  em.getKysely<Tables, Naming>({ columnNamingStrategy: 'property', convertValues: true })
