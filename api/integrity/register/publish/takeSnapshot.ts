import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import { DAY } from '#shared/dates.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { rewardInstant } from '#shared/rewardTime.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Services } from '#api/platform/services.ts'
import { query } from '#api/entities/tables.ts'
import { logSignerOf, readSettings } from './appendFacts.ts'
import { buildBooks, storeBalances } from './buildBooks.ts'
import { buildDay, type Earnings } from './buildDay.ts'
import { type ChainFigures, type ChainLimits, type Endpoints, readChainFigures, readChainLimits } from './chainFigures.ts'
import {
  ChainTooYoung,
  BooksIncomplete,
  checkBooks,
  checkDay,
  checkNewGroups,
  DayLeaves,
  EquationFalse,
} from './checkEquations.ts'
import { readCorrections } from './correctionFacts.ts'
import { depositFacts } from './depositFacts.ts'
import { Draft, type Fact, oldestFirst } from './Draft.ts'
import { grantFact, grantFacts, type GroupKind, readPurchases } from './grantFacts.ts'
import { clearHeld } from './heldRegister.ts'
import { keptFacts } from './keptFacts.ts'
import { readIdentitiesInForce } from './keyFacts.ts'
import { type OpenLog, openLog } from './openLog.ts'
import { OwnedNodes } from './OwnedNodes.ts'
import { findUnreadTransactions, payoutFacts } from './payoutFacts.ts'
import { PriceHistory } from './PriceHistory.ts'
import { PublishedLog } from './PublishedLog.ts'
import { readEntries, readLast, readLatestSinceBooks } from './readLast.ts'
import { SentTransfers } from './SentTransfers.ts'
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

interface PaidDay {
  day: string
  rate: bigint
  paidAt: Date
  nodes: number
  amount: bigint
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
  let isOutdated: boolean
  do {
    const chains = await readChains(services, endpoints)
    isOutdated = await orm.em.fork().transactional(
      async (em) => {
        // A payment was settled while the chains were read.
        if (!chains.sent.covers(await findUnreadTransactions(em))) return true
        const limits = await readChainLimits(em)
        requireUnchanged(chains, limits)
        const snapshot = new Snapshot(em, services, { now: clock.now(), ...chains })
        await snapshot.write(step)
        return false
      },
      { isolationLevel: IsolationLevel.REPEATABLE_READ },
    )
  } while (isOutdated)
}

interface Chains {
  /** The last published books. */
  before: EntryOf<'books'> | undefined
  figures: ChainFigures
  sent: SentTransfers
  /** The paying wallets of the log. */
  wallets: ReadonlySet<string>
}

/** What the chains say, read before the transaction so that it is short. */
async function readChains({ orm, clock, config }: Needed, endpoints: Endpoints): Promise<Chains> {
  const em = orm.em.fork()
  const before = await readLast(em, 'books')
  const listed = (await readEntries(em, 'address')).flatMap(({ role, address }) => (role === 'wallet' ? [address] : []))
  const wallets = new Set(listed)
  const [last] = await readPaidDays(em, { latestOnly: true })
  const now = clock.now()
  const until = config.demo || !last ? now : rewardInstant(last.day)
  const limits = await readChainLimits(em)
  const [figures, sent] = await Promise.all([
    readChainFigures({ config, endpoints, limits, until, wallets: listed.toSorted(), before }),
    SentTransfers.read(endpoints.reward, {
      hashes: await findUnreadTransactions(em),
      token: config.XCR_TOKEN_ADDRESS,
      wallets,
    }),
  ])
  if (config.demo && wallets.size > 0 && !figures.rewardBlock) throw new ChainTooYoung()
  return { before, figures, sent, wallets }
}

/** The blocks must still be complete in the snapshot. */
function requireUnchanged({ before, figures }: Chains, limits: ChainLimits): void {
  const { paymentBlock, rewardBlock } = figures
  const { decidedUpTo, unsettledSince } = limits
  if (rewardBlock?.number !== before?.rewardBlock?.number) requireKnownPayouts(figures, limits)
  if (paymentBlock && (decidedUpTo ?? -1) < paymentBlock.number)
    throw new EquationFalse('E6', `a transfer at or before block ${paymentBlock.number} is not decided`)
  if (rewardBlock && unsettledSince && unsettledSince < rewardBlock.time)
    throw new EquationFalse('E6', `a payout from before block ${rewardBlock.number} is not settled`)
}

/**
 * A restored database may lack payouts that the chain has. The worker may have stopped the wallet while the register read the chain, or
 * not yet. It counts what it signs before it sends it, and these rows are read after the chain.
 */
function requireKnownPayouts({ sentCounts }: ChainFigures, { isWalletStopped, signedCounts }: ChainLimits): void {
  if (isWalletStopped) throw new BooksIncomplete('payouts are stopped')
  for (const [wallet, sent] of sentCounts)
    if (sent > (signedCounts[wallet] ?? 0))
      throw new BooksIncomplete(`the payout wallet ${wallet} has sent transactions that are not recorded`)
}

/** Paid days that are not in the log, oldest first. */
async function readPaidDays(em: EntityManager, { latestOnly = false } = {}): Promise<PaidDay[]> {
  const rows = await sql<{ day: string; rate: string; paid_at: string; nodes: number; amount: string }>(
    em,
    `select day, rate, paid_at, nodes, amount from reward_runs
     where paid_at is not null and day > coalesce((select max(day) from register_days), '-infinity')
     order by day ${latestOnly ? 'desc limit 1' : ''}`,
  )
  return rows.map(({ day, rate, paid_at, nodes, amount }) => ({
    day,
    rate: BigInt(rate),
    paidAt: new Date(paid_at),
    nodes,
    amount: BigInt(amount),
  }))
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
    // A clock that was set back, or is behind that of another worker: the books wait until it is later than what they follow or contain.
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

    let before = new DayLeaves(lastDay && (await this.#readLeaves(lastDay.day)))
    const earned = earningsOf(before)
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
      await query(em)
        .insertInto('register_days')
        .values({
          day: paid.day,
          supply,
          root: Buffer.from(built.tree.root()),
          leaves: Buffer.from(built.leaves),
          blockHashes: Buffer.from(built.tree.blockHashes()),
        })
        .execute()
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
    const deposits = await depositFacts(em, { now, groups, purchases, prices, unpaid })
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

  async #readLeaves(day: string): Promise<Uint8Array> {
    const row = await query(this.#em)
      .selectFrom('register_days')
      .select('leaves')
      .where('day', '=', day)
      .executeTakeFirstOrThrow()
    return row.leaves
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

function earningsOf(leaves: DayLeaves): Earnings {
  const earned: Earnings = new Map()
  for (let number = 1; number <= leaves.size; number++) {
    const leaf = leaves.at(number)
    if (leaf) earned.set(number, leaf.earned)
  }
  return earned
}
