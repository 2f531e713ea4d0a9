import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { readCurrent } from './depositFacts.ts'
import type { Fact } from './Draft.ts'
import type { NodeGroup } from './OwnedNodes.ts'

interface Options {
  /** Purchases whose nodes are kept although a payment is gone for good, with its time. */
  kept: ReadonlyMap<string, Date>
  groups: ReadonlyMap<string, NodeGroup>
  /** The decisions on deposits that are published before these. */
  facts: readonly Fact[]
}

/**
 * The other payments of these purchases, published as counted by decision: what is left is less than the price, so they no longer count as
 * `matched` (format.md, E2).
 */
export async function keptFacts(em: EntityManager, { kept, groups, facts }: Options): Promise<Fact[]> {
  if (kept.size === 0) return []
  const rows = await query(em)
    .selectFrom('deposits')
    .select(['purchase', 'transactionHash', 'ordinal'])
    .where('purchase', 'in', [...kept.keys()])
    .orderBy('id')
    .execute()
  const identityOf = ({ transactionHash, ordinal }: (typeof rows)[number]) => `${transactionHash} ${ordinal}`
  const current = await readCurrent(em, rows.map(identityOf))
  // They supersede what is in the log.
  for (const { entry, ...fact } of facts)
    if (entry.kind === 'deposit' && 'identity' in fact && fact.identity) current.set(fact.identity, entry)
  return rows.flatMap((row): Fact[] => {
    const [identity, purchaseId] = [identityOf(row), row.purchase!]
    const before = current.get(identity)
    if (before?.decision !== 'counted' || before.reason !== 'matched') return []
    const time = kept.get(purchaseId)!
    const { userId } = groups.get(purchaseId)!
    const entry = { ...before, time, reason: 'decision' } as const
    return [{ subject: `kept:${identity}`, time, entry, identity, purchaseId, userId }]
  })
}
