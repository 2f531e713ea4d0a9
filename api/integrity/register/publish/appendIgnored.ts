import type { EntityManager } from '@mikro-orm/postgresql'
import type { Services } from '#api/platform/services.ts'
import { logSignerOf } from './appendFacts.ts'
import { depositFacts } from './depositFacts.ts'
import { Draft, oldestFirst } from './Draft.ts'
import { readIdentitiesInForce } from './keyFacts.ts'
import { openLog } from './openLog.ts'
import { PriceHistory } from './PriceHistory.ts'
import { readEntries } from './readLast.ts'
import { signLog, storeEntries } from './storeDraft.ts'

/** Decisions of one transaction. A snapshot publishes fewer than that itself. */
const BATCH_SIZE = 2_000

type Needed = Pick<Services, 'clock' | 'config' | 'orm'>

/**
 * Publishes payments that were ignored, and nothing else, before the snapshot that they belong to. Each costs its sender a
 * fraction of a cent, and a million of them do not fit into the memory of one transaction.
 */
export async function appendIgnored(services: Needed): Promise<void> {
  let after: number | undefined = 0
  while (after !== undefined) {
    const from: number = after
    after = await services.orm.em.fork().transactional((em) => appendBatch(em, services, from))
  }
}

/** Returns the last decision of the batch; undefined if fewer are left. */
async function appendBatch(em: EntityManager, { clock, config }: Needed, after: number): Promise<number | undefined> {
  const log = await openLog(em)
  if (!log) return undefined
  const now = clock.now()
  const { facts, last } = await depositFacts(em, {
    now,
    isDemo: config.demo,
    groups: new Map(),
    purchases: new Map(),
    prices: new PriceHistory(await readEntries(em, 'price')),
    unpaid: new Set(),
    ignored: { after, count: BATCH_SIZE },
  })
  if (last === undefined) return undefined
  const owners = facts.flatMap((fact) => ('userId' in fact && fact.userId) || [])
  const identities = await readIdentitiesInForce(em, config, owners)
  const draft = new Draft({ size: log.tree.size, groups: new Map(), identities })
  for (const fact of oldestFirst(facts)) draft.append(fact)
  await storeEntries(em, draft.entries, { now })
  await signLog(em, draft.entries, { tree: log.tree, signers: [logSignerOf(config, log)], now })
  return last
}
