import type { EntityManager, InferKyselyDB } from '@mikro-orm/postgresql'
import { type Naming, typedQuery } from '../db/typedQuery.ts'
import type { EventStreamSchema } from './EventStream.ts'
import type { IdempotencyKeySchema } from './IdempotencyKey.ts'
import type { InstallationSchema } from './Installation.ts'
import type { LeadershipSchema } from './Leadership.ts'
import type { OutgoingMailSchema } from './OutgoingMail.ts'
import type { StreamLeaseSchema } from './StreamLease.ts'
import type { SweepRunSchema } from './SweepRun.ts'
import type { WebSessionSchema } from './WebSession.ts'

/** The tables that the platform reads and writes; `entities/tables.ts` has all of them. */
type PlatformTables = InferKyselyDB<
  | typeof EventStreamSchema
  | typeof IdempotencyKeySchema
  | typeof InstallationSchema
  | typeof LeadershipSchema
  | typeof OutgoingMailSchema
  | typeof StreamLeaseSchema
  | typeof SweepRunSchema
  | typeof WebSessionSchema,
  Naming
>

/** Typed queries over the platform's tables, in the transaction of `em` if one is open (decisions/0026). */
export const query = (em: EntityManager) => typedQuery<PlatformTables>(em)
