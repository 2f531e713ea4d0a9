import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import { DAY } from '#shared/dates.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { rewardInstant } from '#shared/rewardTime.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Services } from '#api/platform/services.ts'
import { query } from '#api/entities/tables.ts'
import { logSignerOf, readSettings } from './appendFacts.ts'
import { buildBooks, storeBalances } from './buildBooks.ts'
import { buildDay } from './buildDay.ts'
import { type Endpoints, readChainLimits } from './chainFigures.ts'
import { BooksIncomplete, checkBooks, checkDay, checkNewGroups, DayLeaves } from './checkEquations.ts'
import { readCorrections } from './correctionFacts.ts'
import { depositFacts } from './depositFacts.ts'
import { Draft, type Fact, oldestFirst } from './Draft.ts'
import { grantFact, grantFacts, type GroupKind, readPurchases } from './grantFacts.ts'
import { clearHeld } from './heldRegister.ts'
import { keptFacts } from './keptFacts.ts'
import { readIdentitiesInForce } from './keyFacts.ts'
import { type OpenLog, openLog } from './openLog.ts'
import { OwnedNodes } from './OwnedNodes.ts'
import { payoutFacts } from './payoutFacts.ts'
import { PriceHistory } from './PriceHistory.ts'
import { PublishedLog } from './PublishedLog.ts'
import { type Chains, isOutdated, readChains, requireUnchanged } from './readChains.ts'
import { readEntries, readLast, readLatestSinceBooks } from './readLast.ts'
import { type PaidDay, readLeaves, readPaidDays, storeDay } from './registerDays.ts'
import { signLog, storeEntries } from './storeDraft.ts'

type Needed = Pick<Services, 'clock' | 'config' | 'orm'>

/**
 * - read: the rows are read and the entries written, nothing is stored
 * - stored: everything is stored and signed, nothing is committed
 */
type SnapshotStep = 'read' | 'stored'

interface Options {
  endpoints: Endpoints
  step: (step: SnapshotStep) => Promise<void>
}

/**
 * Publishes every paid day that is not in the log, with the facts before it and one books entry (format.md, "Snapshots, order and
 * time"). The equations are computed before anything is signed. Changed keys are published before (`appendFacts`).
 *
 * @throws {EquationFalse} if one is false; nothing is published then.
 * @throws {BooksIncomplete} if payments or payouts are settled, or a chain was read, only up to an old block; nothing is published then.
 */
export async function takeSnapshot(services: Needed, { endpoints, step }: Options): Promise<void> {
  const { orm, clock } = services
  let isDone: boolean
  do {
    const chains = await readChains(services, endpoints)
    isDone = await orm.em.fork().transactional(
      async (em) => {
        if (await isOutdated(chains, em)) return false
        const limits = await readChainLimits(em)
        requireUnchanged(chains, limits)
        const snapshot = new Snapshot(em, services, { now: clock.now(), ...chains })
        await snapshot.write(step)
        return true
      },
      { isolationLevel: IsolationLevel.REPEATABLE_READ },
    )
  } while (!isDone)
}

class Snapshot {
  readonly #em: EntityManager
  readonly #services: Needed
  readonly #now: Date
  readonly #chains: Chains
  readonly #isDemo: boolean
  /** The offset of product time from real time. */
  readonly #offset: number

  constructor(em: EntityManager, services: Needed, { now, ...chains }: Chains & { now: Date }) {
    this.#em = em
    this.#services = services
    this.#now = now
    this.#chains = chains
    this.#isDemo = services.config.demo
    this.#offset = services.clock.productNow().getTime() - services.clock.now().getTime()
  }

  async write(step: Options['step']): Promise<void> {
    const [em, now] = [this.#em, this.#now]
    const log = await openLog(em)
    const days = await readPaidDays(em)
    if (!log || days.length === 0) return
    const [lastDay, lastBooks] = [await readLast(em, 'day'), await readLast(em, 'books')]
    // The clock was set back, or is behind that of another worker: the books must be later than what they follow and contain.
    if (lastBooks && lastBooks.time >= now) return
    if ((await readLatestSinceBooks(em)) > now || days.some(({ paidAt }) => paidAt > now)) return
    const owned = await OwnedNodes.read(em)
    const groups = await query(em).selectFrom('register_groups').select(['id', 'purchaseId', 'kind']).execute()
    const known = new Map(groups.map(({ purchaseId, kind }) => [purchaseId, kind]))
    const { facts, kinds } = await this.#readFacts({ log, owned, known, days, lastDay: lastDay?.day })
    const { entries: corrections, credits } = await readCorrections(em, { now })
    const owners = [
      ...owned.nodes.map(({ userId }) => userId),
      ...facts.flatMap((fact) => ('userId' in fact && fact.userId) || []),
    ]
    const identities = await readIdentitiesInForce(em, this.#services.config, owners)
    const draft = new Draft({
      size: log.tree.size,
      groups: new Map(groups.map(({ purchaseId, id }) => [purchaseId, id])),
      identities,
    })
    for (const fact of oldestFirst(facts)) draft.append(fact)
    const factCount = draft.entries.length
    // The equations read the entries from where readers will: nothing is committed before all of them are true.
    await storeEntries(em, draft.entries, { now })
    const published = await PublishedLog.read(em)
    checkNewGroups(published, { known: groups.length, lastDay: lastDay?.day })

    let before = new DayLeaves(lastDay && (await readLeaves(em, lastDay.day)))
    const earned = before.earnings()
    let entry: EntryOf<'day'> | undefined
    for (const paid of days) {
      const isLast = paid === days.at(-1)
      const supply = Number(published.settingAt('supply', rewardInstant(paid.day).getTime()) ?? 0n)
      const skipped = await this.#readSkipped(paid.day)
      const creditsHere = isLast ? credits : new Map<number, bigint>()
      const built = buildDay({ ...paid, supply, nodes: owned.nodes, skipped, kinds, identities, earned, credits: creditsHere })
      if (isLast)
        for (const correction of corrections)
          draft.append({ subject: `correction:${correction.missed}:${paid.day}`, time: correction.time, entry: correction })
      entry = this.#dayEntry(paid, built)
      const leaves = new DayLeaves(built.leaves)
      const run = { nodes: paid.nodes, amount: paid.amount }
      checkDay(published, { entry, leaves, before, credits: creditsHere, run, isDemo: this.#isDemo })
      draft.append({ subject: `day:${paid.day}`, time: now, entry })
      await storeDay(em, { day: paid.day, supply, built })
      before = leaves
    }
    const { figures } = this.#chains
    const books = await buildBooks(em, { now, day: entry!, figures, addresses: published.addresses.deposit })
    checkBooks(published, { entry: books, day: entry!, before: lastBooks, behind: figures.behind, isDemo: this.#isDemo })
    draft.append({ subject: `books:${entry!.day}`, time: now, entry: books })
    await step('read')

    await storeEntries(em, draft.entries.slice(factCount), { now })
    await signLog(em, draft.entries, { tree: log.tree, signers: [logSignerOf(this.#services.config, log)], now })
    await this.#storeGroups(draft.newGroups, kinds)
    await storeBalances(em)
    await clearHeld(em)
    await step('stored')
  }

  async #readFacts({
    log,
    owned,
    known,
    days,
    lastDay,
  }: {
    log: OpenLog
    owned: OwnedNodes
    known: ReadonlyMap<string, GroupKind>
    days: readonly PaidDay[]
    lastDay: string | undefined
  }): Promise<{ facts: Fact[]; kinds: Map<string, GroupKind> }> {
    const [em, now] = [this.#em, this.#now]
    const { groups } = owned
    // Those that were set since they were last published.
    const settings = await readSettings(em, this.#services, { log, now })
    const newPrices = settings.flatMap(({ entry }) => (entry.kind === 'price' ? [entry] : []))
    const prices = new PriceHistory([...(await readEntries(em, 'price')), ...newPrices])
    const purchases = await readPurchases(em, { groups, prices })
    const dates = days.map(({ day }) => day)
    const grants = await grantFacts(em, { now, groups, purchases, prices, kinds: known, days: dates, lastDay })
    const { kinds, unpaid } = grants
    const deposits = await depositFacts(em, { now, isDemo: this.#isDemo, groups, purchases, prices, unpaid })
    const kept = [...deposits.keptUnpaid].filter(([id]) => !unpaid.has(id))
    const payouts = await payoutFacts(em, { now, offset: this.#offset, sent: this.#chains.sent, wallets: this.#chains.wallets })
    if (payouts.isIncomplete) throw new BooksIncomplete('a transaction that paid XCR cannot be read')
    const facts = [
      ...settings,
      ...grants.facts,
      ...deposits.facts,
      ...(await keptFacts(em, { kept: deposits.keptUnpaid, groups, facts: deposits.facts })),
      ...kept.map(([purchaseId, time]) => grantFact({ purchaseId, cause: 'unpaid', group: groups.get(purchaseId)!, time })),
      ...payouts.facts,
      ...days.flatMap((paid) => this.#caughtUp(paid)),
    ]
    return { facts, kinds }
  }

  #caughtUp(paid: PaidDay): Fact[] {
    const now = this.#now
    if (now.getTime() - this.#dueOf(paid).getTime() <= DAY) return []
    const entry = { kind: 'note', time: now, topic: 'caught-up', subject: paid.day, text: null } as const
    return [{ subject: `caught-up:${paid.day}`, time: now, entry }]
  }

  /** The real instant of the day's 09:00. In a demo it follows from how far product time is ahead. */
  #dueOf({ day, paidAt }: PaidDay): Date {
    const nine = rewardInstant(day)
    if (!this.#isDemo) return nine
    const due = new Date(nine.getTime() - this.#offset)
    return due < paidAt ? due : paidAt
  }

  #dayEntry(paid: PaidDay, { tree, corrected }: ReturnType<typeof buildDay>): EntryOf<'day'> {
    return {
      kind: 'day',
      day: paid.day,
      due: this.#dueOf(paid),
      paid: paid.paidAt,
      rate: paid.rate,
      states: tree.states,
      kinds: tree.kinds,
      rewards: paid.rate * BigInt(tree.states.active),
      corrected,
      earned: tree.earned,
      nodes: { size: tree.size, root: tree.root() },
    }
  }

  async #readSkipped(day: string): Promise<Set<number>> {
    const rows = await sql<{ number: number }>(this.#em, 'select node_number as number from reward_skips where day = $1', [day])
    return new Set(rows.map(({ number }) => number))
  }

  async #storeGroups(ids: ReadonlyMap<string, number>, kinds: ReadonlyMap<string, GroupKind>): Promise<void> {
    const rows = [...ids].map(([purchaseId, id]) => ({ id, purchaseId, kind: kinds.get(purchaseId)! }))
    await sql(
      this.#em,
      `insert into register_groups (id, purchase_id, kind) select * from unnest($1::int[], $2::uuid[], $3::text[])`,
      [rows.map(({ id }) => id), rows.map(({ purchaseId }) => purchaseId), rows.map(({ kind }) => kind)],
    )
  }
}
