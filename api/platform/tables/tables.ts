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

/** The tables that the platform itself reads and writes; `entities/tables.ts` has them all. */
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

/** Queries of the platform, inside the transaction of `em` if it has one open (decisions/0026). */
export const query = (em: EntityManager) => typedQuery<PlatformTables>(em)
