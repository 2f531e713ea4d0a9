import type { EntityManager, InferKyselyDB } from '@mikro-orm/postgresql'
import { type Naming, typedQuery } from '#api/platform/db/typedQuery.ts'
import type { entities } from './all.ts'

/** All tables by name, typed by their entities: rows have the entities' properties. */
export type Tables = InferKyselyDB<(typeof entities)[number], Naming>

/** Typed queries, in the transaction of `em` if one is open. Conventions: decisions/0026. */
export const query = (em: EntityManager) => typedQuery<Tables>(em)
