import type { EntityManager, InferKyselyDB } from '@mikro-orm/postgresql'
import { type Naming, typedQuery } from '#api/platform/db/typedQuery.ts'
import type { entities } from './all.ts'

/** Every table by its name, typed by its entity: a row has the entity's properties. */
export type Tables = InferKyselyDB<(typeof entities)[number], Naming>

/** Queries inside the transaction of `em`, if it has one open. How they are written: decisions/0026. */
export const query = (em: EntityManager) => typedQuery<Tables>(em)
