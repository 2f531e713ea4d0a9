import type { EntityManager } from '@mikro-orm/postgresql'
import { expect } from 'vitest'
import type { Check } from '#api/integrity/Check.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { TestDatabase } from './database.ts'

/** Executes statements that triggers and foreign keys would refuse, as a superuser in the caller's transaction. */
export async function damage(em: EntityManager, statements: string | readonly string[]): Promise<void> {
  await sql(em, `set local session_replication_role = 'replica'`)
  for (const statement of [statements].flat()) await sql(em, statement)
}

/** Calls `look` on the damaged rows, then rolls the damage back. */
export async function whileDamaged<T>(
  { superuser }: Pick<TestDatabase, 'superuser'>,
  statements: string | readonly string[],
  look: (em: EntityManager) => Promise<T>,
): Promise<T> {
  const em = superuser.em.fork()
  await em.begin()
  try {
    await damage(em, statements)
    return await look(em)
  } finally {
    await em.rollback()
  }
}

/** A check of the audit, or the name of one. */
type Named = Check | string
const nameOf = (check: Named): string => (typeof check === 'string' ? check : check.name)

/** Expects each difference from its check, and no others. */
export function expectDifferences(
  differences: readonly { name: string; difference: string }[],
  found: readonly [Named, RegExp][],
): void {
  const left = [...differences]
  for (const [check, pattern] of found) {
    const index = left.findIndex(({ name, difference }) => name === nameOf(check) && pattern.test(difference))
    expect(index, `${pattern} of ${nameOf(check)} is not in ${JSON.stringify(left, null, 2)}`).toBeGreaterThanOrEqual(0)
    left.splice(index, 1)
  }
  expect(left).toEqual([])
}

/** Returns the checks for which there is no damage. */
export function checksWithoutDamage(
  checks: readonly Named[],
  damages: readonly (readonly [unknown, unknown, readonly [Named, RegExp][]])[],
): string[] {
  const found = new Set(damages.flatMap(([, , found]) => found.map(([check]) => nameOf(check))))
  return checks.map(nameOf).filter((name) => !found.has(name))
}
