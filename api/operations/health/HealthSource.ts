import type { EntityManager } from '@mikro-orm/postgresql'
import type { HealthCheck } from '#shared/contract/admin/office.ts'

/**
 * Checks one part of the product. It waits for a chain no longer than `CHAIN_TIMEOUT` and does not fail when a chain is away.
 */
export type HealthSource = (em: EntityManager) => Promise<HealthCheck[]>

/** Advice is included only if the check fails or something waits for a decision. */
export const check = (
  name: string,
  { ok, value, advice, waits = false }: { ok: boolean; value: string; advice: string; waits?: boolean },
): HealthCheck => ({
  name,
  ok,
  value,
  advice: ok && !waits ? null : advice,
  ...(waits && { waits }),
})
