import type { EntityManager } from '@mikro-orm/postgresql'
import type { HealthCheck } from '#shared/contract/admin/office.ts'

/** Looks at one part of the product. Asks no chain for longer than `CHAIN_PATIENCE`, and never fails because one is away. */
export type HealthSource = (em: EntityManager) => Promise<HealthCheck[]>

/** What to do is said only while there is something to do. */
export const check = (name: string, { ok, value, advice }: { ok: boolean; value: string; advice: string }): HealthCheck => ({
  name,
  ok,
  value,
  advice: ok ? null : advice,
})
