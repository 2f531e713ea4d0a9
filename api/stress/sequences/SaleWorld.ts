import type { Address, Hash, Hex, PrivateKeyAccount } from 'viem'
import { parseAbiItem } from 'viem'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { listProposals } from '#shared/contract/admin/proposals.ts'
import { Proposed } from '#shared/contract/client.ts'
import { DAY, MINUTE, SECOND } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { User } from '#api/entities/User.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { payCorrections } from '#api/rewards/daily/payCorrections.ts'
import { payDueDays } from '#api/rewards/daily/payDueDays.ts'
import { readNewestTime, reviewWallets } from '#api/sale/deposits/reviewWallets.ts'
import { acceptDatabase } from '#api/sale/purchases/restoredDatabase.ts'
import { expirePurchases } from '#api/sale/purchases/expirePurchases.ts'
import { approve, type BackOffice, startBackOffice } from '#api/testing/backOffice.ts'
import { clockTimeSources } from '#api/testing/FakeClock.ts'
import { makeAccount, USDT_ADDRESS } from '#api/testing/chains.ts'
import { type BatchSender, deployBatchSender } from '#api/testing/batchSender.ts'
import { type FaultyRpc, startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { endRateLimits } from '#api/testing/endRateLimits.ts'
import { type Buyer, returnBuyer } from '#api/testing/people.ts'
import { approve as approveProposal } from '#api/testing/proposals.ts'
import { createRandom, type Random } from '../chaos/createRandom.ts'

export interface DepositRow {
  id: string
  hash: Hash
  ordinal: number
  sender: Address
  amount: bigint
  state: string
  before: string | null
  blockHash: Hash | null
  purchase: string | null
  keptFor: string | null
  refundHash: Hash | null
  refunded: bigint | null
}

export interface PurchaseRow {
  id: string
  user: string
  status: string
  wallet: Address
  amount: bigint
  isOwed: boolean
  /** The sum of the deposits attached to it. */
  received: bigint
  /** The sum of those that have paid for it. */
  paid: bigint
  nodes: number
  frozen: number
}

interface Transfer {
  hash: Hash
  from: Address
  to: Address
  amount: bigint
  blockHash: Hash
}

/** Identifies a payment whatever row it has. */
export const keyOf = ({ hash, ordinal }: Pick<DepositRow, 'hash' | 'ordinal'>): string => `${hash} ${ordinal}`

const transferEvent = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
const CONFIRMATIONS = 3
/** Of a reorganization. */
const MAX_DEPTH = 60

/** A sale with its buyers, its chain and its administrator, and what a sequence of events remembers. */
export class SaleWorld {
  readonly sale: BackOffice
  readonly random: Random
  /** The first has not registered its wallet yet, the third has only entered it, the fourth's is a contract; then the thief. */
  readonly buyers: Buyer[]
  /** Has entered the wallet of the first buyer and can prove nothing. */
  readonly thief: Buyer
  readonly wallets: PrivateKeyAccount[]
  /** The contract that is the wallet of the last buyer but the thief. */
  readonly batch: BatchSender
  /** Of the payment chain, of two hosts. One of them at most is faulty. */
  readonly endpoints: FaultyRpc[]
  isFaulty = false
  /** Refunds that the restored database does not know, by the payment, with its sender. */
  readonly lostRefunds = new Map<string, Address>()
  /** No operator has said yet what was refunded. */
  isRestored = false
  #hasBackup = false
  /** Purchases that an administrator has decided about, and deposits that one has assigned. */
  readonly decided = new Set<string>()
  readonly assigned = new Set<string>()
  /** Transactions that an administrator has confirmed a purchase with. */
  readonly named = new Set<Hash>()
  /** Bonus nodes that an administrator has granted without their being due, by account. */
  readonly granted = new Map<string, number>()
  /** The payments that the thief's purchases had, or that were kept for them, when the owner proved the wallet. */
  beforeProof: Set<string> | undefined
  /** What happened so far, for the report of a failure. */
  readonly log: string[] = []
  /** What is noted once a proposal is approved. */
  readonly #notes = new Map<string, () => unknown>()
  readonly #payments: Hash[] = []
  readonly #refunds: { hash: Hash; to: Address }[] = []
  #removed: Hex[] = []
  #watcher
  #epoch = 1

  private constructor(sale: BackOffice, random: Random, people: Pick<SaleWorld, 'buyers' | 'thief' | 'batch' | 'endpoints'>) {
    this.sale = sale
    this.random = random
    this.buyers = [...people.buyers, people.thief]
    this.thief = people.thief
    this.batch = people.batch
    this.endpoints = people.endpoints
    this.wallets = people.buyers.map(({ wallet }) => wallet)
    this.#watcher = sale.newWatcher()
  }

  static async open(seed: number): Promise<SaleWorld> {
    const endpoints: FaultyRpc[] = []
    const sale = await startBackOffice({
      isAudited: false,
      mining: 'manual',
      confirmations: CONFIRMATIONS,
      supply: 200,
      async rpcUrls(chain) {
        endpoints.push(await startFaultyRpc(chain.url), await startFaultyRpc(chain.url))
        return endpoints.map(({ url }) => url)
      },
    })
    const owner = await sale.openBuyer({ usdt: '100000', proven: true })
    const victim = await sale.openBuyer({ usdt: '0', wallet: null })
    const buyers = [{ ...victim, wallet: makeAccount() }, owner, await sale.openBuyer({ usdt: '100000', proven: false })]
    const thief = await sale.openBuyer({ usdt: '100000', proven: false, wallet: buyers[0]!.wallet })
    await sale.chain.client.setAutomine(true)
    const batch = await deployBatchSender(sale.chain, {
      owner: makeAccount(),
      recipient: sale.depositAddress,
      usdt: parseAmount('100000')!,
    })
    await sale.chain.client.setAutomine(false)
    const { address } = batch
    buyers.push(await sale.openBuyer({ usdt: '0', wallet: { address: address.toLowerCase() } as PrivateKeyAccount }))
    const world = new SaleWorld(sale, createRandom(seed), { buyers, thief, batch, endpoints })
    await world.mine(MAX_DEPTH)
    await world.watch()
    await world.openThiefsRequest()
    if (world.random.chance(50)) await world.changeOwners()
    return world
  }

  /** Waits for the payments of the wallet's owner, who has not proven it yet. */
  async openThiefsRequest(): Promise<void> {
    const { id } = await this.sale.openPurchase(this.thief, 2, '6')
    if (!this.random.chance(50)) return
    this.noteDecision(id)
    await approve(this.sale.one.browser, id)
  }

  get services() {
    return this.sale.server.services
  }

  pick<Thing>(things: readonly Thing[]): Thing | undefined {
    return things.length > 0 ? this.random.oneOf(things) : undefined
  }

  /** Refusals are answers; only a failure of the server is a fault. */
  async attempt(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
      this.log.push(`  ${what}`)
    } catch (error) {
      const { status, code } = error as { status?: number; code?: string }
      this.log.push(`  ${what}: ${code}`)
      if (!status || (status >= 500 && code !== 'chain_unavailable')) throw error
    }
  }

  /** What an administrator decides: at once, or as a proposal that another one approves later. @param note is called once it is done. */
  async decide(what: string, work: () => Promise<unknown>, note: () => unknown = () => {}): Promise<void> {
    await this.attempt(what, async () => {
      const proposed = await work().then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof Proposed) return error.proposal
          throw error
        },
      )
      if (proposed) this.#notes.set(proposed.id, note)
      else await note()
    })
  }

  /** The second administrator becomes an owner too, so that some decisions need both, or is none any more. */
  async changeOwners(): Promise<void> {
    const { id } = this.sale.other
    await sql(
      this.#em(),
      `update administrators set role = case role when 'owner' then 'finance' else 'owner' end where id = $1`,
      [id],
    )
  }

  async approveProposal(): Promise<boolean> {
    const { browser } = this.sale.other
    const { proposals } = await browser.call(listProposals, { query: { limit: 100, offset: 0 } })
    const proposal = this.pick(proposals.filter(({ state }) => state === 'open'))
    if (!proposal) return false
    await this.attempt(`${proposal.action} ${proposal.id.slice(-4)}`, async () => {
      await approveProposal(browser, proposal)
      await this.#notes.get(proposal.id)?.()
    })
    return true
  }

  async purchaseCall(call: (buyer: Buyer, world: SaleWorld) => Promise<unknown>): Promise<void> {
    const buyer = this.random.oneOf(this.buyers)
    await this.attempt(`buyer ${this.buyers.indexOf(buyer)}`, () => call(buyer, this))
  }

  async logIn(buyer: Buyer): Promise<void> {
    const user = await this.#em().findOneOrFail(User, buyer.user.id)
    Object.assign(buyer, await returnBuyer(this.sale.server, { user, wallet: buyer.wallet }))
  }

  /** Accounts with what a freeze forbids: a wallet proven while it is frozen. */
  provenWhileFrozen = (): Promise<{ user: string; address: Address }[]> =>
    sql(
      this.#em(),
      `select u.id as user, w.address from users u join wallet_registrations w on w.user_id = u.id
       where u.frozen_at is not null and (u.thaws_at is null or u.thaws_at > $1) and w.proven_at > u.frozen_at`,
      [this.sale.server.clock.now()],
    )

  walletsOf = (buyer: Buyer): [PrivateKeyAccount, ...PrivateKeyAccount[]] =>
    this.buyers.indexOf(buyer) === 1 ? [buyer.wallet, this.wallets[2]!] : [buyer.wallet]

  /** Calls of the chain fail only while an endpoint is faulty. */
  async whileFaulty(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!this.isFaulty) throw error
      this.log.push(`  ${String(error)}`)
    }
  }

  heal(): void {
    for (const endpoint of this.endpoints) endpoint.heal()
    this.isFaulty = false
  }

  // The chain

  async mine(blocks: number): Promise<void> {
    const { chain, server } = this.sale
    const { timestamp } = await chain.client.getBlock()
    const next = Math.max(Number(timestamp) + 1, Math.floor(server.clock.now().getTime() / SECOND))
    await chain.mineAt(new Date(next * SECOND))
    if (blocks > 1) await chain.mine(blocks - 1)
    const latest = await chain.client.getBlock()
    const time = new Date(Number(latest.timestamp) * SECOND)
    if (time > server.clock.now()) server.clock.set(time)
  }

  watch = (): Promise<void> => this.whileFaulty(() => this.#watcher.catchUp())

  /** Makes everything final and lets every sweep run. */
  async settle(): Promise<void> {
    this.heal()
    await this.reviewPayments()
    await this.mine(12)
    await this.wait(3 * MINUTE)
    for (let round = 1; round <= 2; round += 1) {
      await this.watch()
      await expirePurchases(this.services)
    }
    await this.payRewards()
  }

  async payRewards(): Promise<void> {
    await payDueDays({ ...this.services, timeSources: clockTimeSources(this.sale.server.clock) })
    await payCorrections(this.services)
  }

  async confirm(): Promise<void> {
    await this.mine(CONFIRMATIONS + 1)
    await this.watch()
  }

  async replaceWatcher(): Promise<void> {
    this.#epoch += 1
    await sql(this.#em(), `update leaderships set epoch = $1 where role = 'watcher'`, [this.#epoch])
    this.#watcher = this.sale.newWatcher({ epoch: this.#epoch })
  }

  /** @param others further transfers of the same transaction, if the wallet is the contract. */
  async pay(address: Address, usdt: string, others: readonly string[] = []): Promise<void> {
    const wallet = this.wallets.find((each) => each.address.toLowerCase() === address.toLowerCase())
    if (!wallet) return
    const place = this.wallets.indexOf(wallet)
    const isBatch = wallet.address === this.batch.address.toLowerCase()
    const amounts = [usdt, ...(isBatch ? others : [])]
    const hash = await (isBatch ? this.batch.send(amounts.map((each) => parseAmount(each)!)) : this.sale.pay(wallet, usdt))
    this.log.push(`  ${hash.slice(0, 6)}: ${amounts.join(' + ')} from ${place}`)
    this.#payments.push(hash)
  }

  anyPayment = (): Hash | undefined => this.pick(this.#payments.slice(-8))

  /** Removes blocks; some of their transactions are mined again in the new ones, the others are remembered. */
  async reorganize(depth: number): Promise<void> {
    const { chain } = this.sale
    const head = await chain.client.getBlockNumber()
    const keep: [Hex, number][] = []
    for (let number = head - BigInt(depth) + 1n; number <= head; number += 1n) {
      const { transactions } = await chain.client.getBlock({ blockNumber: number })
      for (const hash of transactions) {
        const signed = await chain.signedBytes(hash)
        if (this.random.chance(50)) keep.push([signed, this.random.between(keep.at(-1)?.[1] ?? 0, depth - 1)])
        else this.#removed.push(signed)
      }
    }
    this.log.push(`  ${depth} blocks, ${keep.length} transactions stay, ${this.#removed.length} are removed`)
    await chain.reorganize(depth, keep)
  }

  /** How many blocks have to go for one of the last payments to vanish. */
  async depthOfPayment(): Promise<number | undefined> {
    const { client } = this.sale.chain
    const payment = this.anyPayment()
    const receipt = payment && (await client.getTransactionReceipt({ hash: payment }).catch(() => undefined))
    const depth = receipt && Number((await client.getBlockNumber()) - receipt.blockNumber) + 1
    return depth && depth <= MAX_DEPTH ? depth : undefined
  }

  /** @returns how many were sent. One that no longer fits, because of its nonce, is lost for good. */
  async sendRemoved(): Promise<number> {
    const removed = this.#removed
    this.#removed = []
    const sent = await Promise.all(
      removed.map((serializedTransaction) =>
        this.sale.chain.client.sendRawTransaction({ serializedTransaction }).then(
          () => 1,
          () => 0,
        ),
      ),
    )
    return sent.reduce<number>((sum, each) => sum + each, 0)
  }

  async sendBack({ sender, amount }: DepositRow): Promise<Hash> {
    const back = this.random.chance(70) ? amount : amount - amount / 3n
    const hash = await this.sale.sendBack(sender, formatAmount(back), { final: false })
    await this.mine(CONFIRMATIONS + 1)
    this.#refunds.push({ hash, to: sender })
    return hash
  }

  refundsTo = (sender: Address): Hash[] => this.#refunds.filter(({ to }) => to === sender).map(({ hash }) => hash)

  /** Every transfer of USDT on the chain as it is now. */
  async transfers(): Promise<Transfer[]> {
    const logs = await this.sale.chain.client.getLogs({
      address: USDT_ADDRESS,
      event: transferEvent,
      fromBlock: 0n,
      strict: true,
    })
    return logs.map(({ transactionHash, blockHash, args }) => ({
      hash: transactionHash,
      blockHash,
      from: args.from.toLowerCase() as Address,
      to: args.to.toLowerCase() as Address,
      amount: args.value,
    }))
  }

  // The clock

  async wait(milliseconds: number): Promise<void> {
    const { clock } = this.sale.server
    clock.advance(milliseconds)
    const at = clock.now()
    await sql(this.#em(), 'update web_sessions set last_seen_at = $1, expires_at = $2', [at, new Date(at.getTime() + 300 * DAY)])
    await this.mine(1)
    await this.watch()
  }

  async tick(): Promise<void> {
    this.sale.server.clock.advance(2 * SECOND)
    await endRateLimits(this.services)
    await sql(this.#em(), 'update users set unpaid_hold_seconds = 0, reservations_paused_until = null')
  }

  // The database

  /** Keeps a copy of all rows, as a dump does. */
  async backUp(): Promise<void> {
    const superuser = this.sale.database.superuser.em.fork()
    await sql(superuser, 'drop schema if exists backup cascade')
    await sql(superuser, 'create schema backup')
    for (const { table } of await this.#tables())
      await sql(superuser, `create table backup."${table}" as table public."${table}"`)
    this.#hasBackup = true
  }

  /** The last copy replaces all rows, and the product notices that it runs in another database. */
  async restore(): Promise<boolean> {
    if (!this.#hasBackup) return false
    const refunded = (await this.deposits()).filter(({ refundHash }) => refundHash)
    await this.sale.database.superuser.em.fork().transactional(async (em) => {
      await sql(em, 'set local session_replication_role = replica')
      for (const { table, columns } of await this.#tables()) {
        await sql(em, `delete from public."${table}"`)
        await sql(
          em,
          `insert into public."${table}" (${columns}) overriding system value select ${columns} from backup."${table}"`,
        )
      }
      await sql(em, `update chain_progress set settled_table = '1'`)
    })
    await this.replaceWatcher()
    // The copy knows older sessions.
    for (const buyer of this.buyers) await this.logIn(buyer)
    const known = new Set(
      (await this.deposits()).flatMap(({ refundHash, hash, ordinal }) => (refundHash ? keyOf({ hash, ordinal }) : [])),
    )
    for (const each of refunded) if (!known.has(keyOf(each))) this.lostRefunds.set(keyOf(each), each.sender)
    if (!(await this.#isProven())) this.beforeProof = undefined
    this.isRestored = true
    this.log.push(`  ${this.lostRefunds.size} refunds are not known`)
    return true
  }

  /** `npm run admin -- review-payments` names the wallets that were refunded after the dump. */
  async reviewPayments(): Promise<boolean> {
    if (!this.isRestored) return false
    await this.whileFaulty(() => this.#reviewPayments())
    return true
  }

  /** Whether the database knows that the thief's wallet is the first buyer's. */
  async #isProven(): Promise<boolean> {
    const rows = await sql(
      this.#em(),
      'select from wallet_registrations where address = $1 and user_id = $2 and proven_at is not null',
      [this.thief.wallet.address.toLowerCase(), this.buyers[0]!.user.id],
    )
    return rows.length > 0
  }

  async #reviewPayments(): Promise<void> {
    const until = await readNewestTime(this.#em(), {
      endpoints: paymentEndpoints(this.services.config),
      now: this.sale.server.clock.now(),
    })
    await this.#em().transactional(async (em) => {
      await reviewWallets(em, { wallets: [...this.lostRefunds.values()], until })
      await acceptDatabase(em)
    })
    this.isRestored = false
  }

  #tables = (): Promise<{ table: string; columns: string }[]> =>
    sql(
      this.sale.database.superuser.em.fork(),
      `select c.relname as table, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       group by c.relname`,
    )

  async noteProof(): Promise<void> {
    const [thiefs, deposits] = [(await this.purchases()).filter(({ user }) => user === this.thief.user.id), await this.deposits()]
    this.beforeProof ??= new Set(
      deposits.flatMap(({ hash, ordinal, purchase, keptFor }) =>
        thiefs.some((each) => each.id === purchase || each.id === keptFor) ? keyOf({ hash, ordinal }) : [],
      ),
    )
  }

  setSupply = (total: number) => sql(this.#em(), 'update supply set total = $1', [total])

  noteDecision = (purchase: string | null): void => void (purchase && this.decided.add(purchase))

  async noteAssigned(ids: readonly string[]): Promise<void> {
    for (const deposit of await this.deposits())
      if (ids.includes(deposit.id)) {
        this.assigned.add(deposit.id)
        this.noteDecision(deposit.purchase)
      }
  }

  async deposits(): Promise<DepositRow[]> {
    const rows = await sql<Record<keyof DepositRow, string | null>>(
      this.#em(),
      `select id, transaction_hash as hash, ordinal, sender, amount::text, state, state_before_orphaned as before, block_hash as "blockHash",
         purchase_id as purchase, kept_for as "keptFor", refund_hash as "refundHash", refunded_amount::text as refunded
       from deposits order by first_seen_at, id`,
    )
    return rows.map((row) => ({
      ...row,
      amount: BigInt(row.amount!),
      refunded: row.refunded === null ? null : BigInt(row.refunded),
    })) as unknown as DepositRow[]
  }

  depositsIn = async (...states: string[]): Promise<DepositRow[]> =>
    (await this.deposits()).filter(({ state }) => states.includes(state))

  /** Some deposits in review of one sender. */
  async reviewedOfOneSender(): Promise<DepositRow[]> {
    const reviewed = await this.depositsIn('review')
    const first = this.pick(reviewed)
    return reviewed.filter((each) => each === first || (each.sender === first?.sender && this.random.chance(40)))
  }

  async purchases(): Promise<PurchaseRow[]> {
    const rows = await sql<Record<keyof PurchaseRow, string>>(
      this.#em(),
      `select p.id, p.user_id as user, p.status, p.wallet, p.amount::text, p.owed_deposit as "isOwed",
         (select coalesce(sum(d.amount), 0)::text from deposits d where d.purchase_id = p.id and d.state in ('seen', 'review')) as received,
         (select coalesce(sum(d.amount), 0)::text from deposits d where d.purchase_id = p.id and d.state in ('matched', 'assigned')) as paid,
         (select count(*)::int from nodes n where n.purchase_id = p.id) as nodes,
         (select count(*)::int from nodes n where n.purchase_id = p.id and frozen_at is not null) as frozen
       from purchases p order by p.created_at, p.id`,
    )
    return rows.map((row) => ({
      ...row,
      amount: BigInt(row.amount),
      received: BigInt(row.received),
      paid: BigInt(row.paid),
    })) as unknown as PurchaseRow[]
  }

  /** Days for which an account has not earned the rate of the day for each of its active nodes, or more than that. */
  wrongRewards = (): Promise<{ day: string; isFrozen: boolean; nodes: number; rate: string; earned: string }[]> =>
    sql(
      this.#em(),
      `select r.day, bool_or(n.frozen_at is not null) as "isFrozen", count(*)::int as nodes, r.rate::text,
         (select coalesce(sum(e.amount), 0)::text from ledger_entries e where e.date = r.day and e.to_account = n.user_id
            and (e.cause like 'distribution:%' or e.cause like 'correction:%')) as earned
       from reward_runs r join nodes n on n.active_from <= (r.day + time '09:00') at time zone 'UTC'
       where r.paid_at is not null
       group by r.day, r.rate, n.user_id
       having r.rate * count(*) <> (select coalesce(sum(e.amount), 0) from ledger_entries e where e.date = r.day and e.to_account = n.user_id
            and (e.cause like 'distribution:%' or e.cause like 'correction:%'))`,
    )

  openPurchases = async (): Promise<PurchaseRow[]> =>
    (await this.purchases()).filter(({ status }) => ['reserved', 'pending', 'manual_review'].includes(status))

  #em() {
    return this.services.orm.em.fork()
  }
}
