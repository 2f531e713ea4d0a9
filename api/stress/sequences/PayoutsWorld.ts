import { AsyncLocalStorage } from 'node:async_hooks'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type Address, encodeAbiParameters, type Hash, type Hex, keccak256, numberToHex, type PrivateKeyAccount } from 'viem'
import { formatAmount, ONE_TOKEN, parseAmount } from '#shared/amount.ts'
import { listProposals } from '#shared/contract/admin/proposals.ts'
import { ApiError, Proposed } from '#shared/contract/client.ts'
import { freezeByLink, thawAccount } from '#shared/contract/freezes.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { SECOND } from '#shared/dates.ts'
import { walletProofMessage } from '#shared/walletProofMessage.ts'
import { TIME_STEP } from '#api/accounts/otp/findTimeStep.ts'
import { User } from '#api/entities/User.ts'
import { Withdrawal } from '#api/entities/Withdrawal.ts'
import { createPayoutAccount, type PayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import type { Environment } from '#api/platform/config.ts'
import { sql } from '#api/platform/db/sql.ts'
import { DomainError } from '#api/platform/errors.ts'
import type { Random } from '#api/stress/chaos/createRandom.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { TEST_PASSWORD } from '#api/testing/factories.ts'
import { type FaultyRpc, startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { copyDatabase, type LentDatabase } from '#api/testing/database.ts'
import { freezeTokensTo } from '#api/testing/freezeLinks.ts'
import { onCleanup } from '#api/testing/onCleanup.ts'
import { readSettings, withdrawalFeeOf } from '#api/sale/settings/readSettings.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { type Payouts, startPayouts } from '#api/testing/payouts.ts'
import { type Buyer, logIn, returnBuyer } from '#api/testing/people.ts'
import { approve } from '#api/testing/proposals.ts'
import type { TestBrowser } from '#api/testing/server.ts'
import { withdrawalsOf } from '#api/testing/withdrawals.ts'
import type { PayoutStep } from '#api/withdrawals/payouts/PayoutContext.ts'
import type { PayoutWorker } from '#api/withdrawals/payouts/PayoutWorker.ts'
import { reconcilePayouts } from '#api/withdrawals/payouts/reconcilePayouts.ts'
import { CannotReconcile } from '#api/withdrawals/payouts/requireUnanimity.ts'
import { RewardEndpoints } from './RewardEndpoints.ts'

/** Fault injected by the walk: a worker dies at this step. */
export class Crash extends Error {
  override name = 'Crash'
}

export const CONFIRMATIONS = 3
const LIMITED = ['freeze_ip', 'otp', 'password', 'proposal', 'wallet', 'withdrawal']

interface PayoutWallet {
  account: PayoutAccount
  /** Outside of the product. */
  key: PrivateKeyAccount
  privateKey: Hex
}

/** A product with holders, two administrators and payout workers, of which one leads. */
export class PayoutsWorld {
  readonly random: Random
  payouts: Payouts
  office!: TestBrowser
  /** The second administrator. */
  other!: { id: string; browser: TestBrowser }
  holders: Buyer[] = []
  /** Addresses that are contracts on the payment chain. */
  readonly #contracts: Set<Address>
  readonly endpoints: RewardEndpoints
  /** Pays withdrawals by hand. */
  readonly treasury: PrivateKeyAccount
  /** Transactions sent by hand, by the withdrawal that they are for. */
  readonly byHand: { hash: Hash; withdrawal: string }[] = []
  /** Transactions of the payout wallet that the product did not make. */
  readonly foreign = new Set<Hash>()
  /** Transactions that the restored database does not know, until they are reconciled, with the accounts that they may have paid. */
  readonly lost = new Map<Hash, string | undefined>()
  /** What a proposal would decide about, as it was when it was proposed. */
  readonly #proposed = new Map<string, { id: string; rows: string[] }>()
  /** When accounts last changed their daily limit, since the last restore. */
  readonly limitedAt = new Map<string, Date>()
  restoredAt = new Date(0)
  /** What was seen to happen and must not. */
  readonly wrongs: string[] = []
  /** Payout wallets, of which one has the configured key. */
  readonly wallets: PayoutWallet[]
  wallet: PayoutWallet
  readonly #env: Environment
  /** Every wallet that a holder had. */
  readonly #wallets: PrivateKeyAccount[] = []
  #backup: LentDatabase | undefined
  #worker!: PayoutWorker
  #epoch = 1
  fee = '5'
  /** Runs work outside of a worker's transaction, like another process. */
  readonly outside = AsyncLocalStorage.snapshot()

  private constructor({ payouts, random, contracts, endpoints, treasury, env }: Opened) {
    this.payouts = payouts
    this.random = random
    this.#contracts = contracts
    this.endpoints = new RewardEndpoints(payouts.chain, endpoints)
    this.treasury = treasury
    this.#env = env
    this.wallet = payouts
    this.wallets = [payouts]
  }

  static async open(random: Random): Promise<PayoutsWorld> {
    const contracts = new Set<Address>()
    const endpoints: FaultyRpc[] = []
    const env: Environment = {
      RATE_LIMITS: LIMITED.map((name) => `${name}=10000/900`).join(' '),
      PAYOUT_REVIEW_ABOVE: random.oneOf(['100000', '4000']),
    }
    const hosts = random.between(1, 3)
    const payouts = await startPayouts({
      confirmations: CONFIRMATIONS,
      xcr: '300000',
      env,
      rpcUrls: async (chain) => {
        for (let host = 0; host < hosts; host += 1) endpoints.push(await startFaultyRpc(chain.url))
        env.BSC_RPC_URLS = (await startPaymentStub(chain.url, contracts)).url
        return endpoints.map(({ url }) => url)
      },
    })
    const treasury = makeAccount()
    await payouts.chain.client.setBalance({ address: treasury.address, value: 10n ** 24n })
    await payouts.chain.mint(treasury.address, parseAmount('10000000')!)
    await payouts.chain.mine(CONFIRMATIONS)
    const world = new PayoutsWorld({ payouts, random, contracts, endpoints, treasury, env })
    for (let count = 0; count < 4; count += 1) {
      const holder = await withdrawalsOf(payouts.server).openHolder({ xcr: '400000' })
      world.holders.push(holder)
      world.#wallets.push(holder.wallet)
    }
    await world.#enter()
    return world
  }

  async #enter(): Promise<void> {
    this.#configure()
    this.#lead(1)
    const { server } = this.payouts
    this.office = (await openAdministrator(server)).browser
    this.other = await openAdministrator(server, { role: 'finance' })
    if (this.random.chance(50)) await this.changeOwners()
  }

  // Backups

  /** Keeps a copy of the database. The product goes on with another one. */
  async backUp(): Promise<void> {
    await this.payouts.stop()
    this.#backup = await copyDatabase(this.payouts.database)
    onCleanup(this.#backup.release)
    await this.#continueWithBackup()
  }

  /** Continues with the last backup. */
  async restore(): Promise<string> {
    if (!this.#backup) return 'none'
    const sent = await this.rows<{ hash: Hash; email: string | null }>(
      `select hash, email from payout_attempts join payouts p on p.id = payout_id
       left join withdrawals w on w.id = p.withdrawal_id left join users u on u.id = user_id`,
    )
    await this.payouts.stop()
    await this.#continueWithBackup()
    await this.#reconcileUnknownWallets()
    this.restoredAt = this.payouts.clock.now()
    this.limitedAt.clear()
    const known = new Set((await this.rows<{ hash: Hash }>('select hash from payout_attempts')).map(({ hash }) => hash))
    for (const { hash, email } of sent) if (!known.has(hash)) this.lost.set(hash, email ?? undefined)
    const fee = await readSettings(this.payouts.orm.em.fork(), this.payouts.clock.now())
    this.fee = formatAmount(withdrawalFeeOf(fee))
    return `${this.lost.size} transactions lost`
  }

  async #continueWithBackup(): Promise<void> {
    const before = this.payouts
    const { config } = before.services
    this.payouts = await startPayouts({
      confirmations: CONFIRMATIONS,
      env: { ...this.#env, BSC_RPC_URLS: config.BSC_RPC_URLS.join(',') },
      rpcUrls: () => [...config.XCR_RPC_URLS],
      after: { payouts: before, database: await copyDatabase(this.#backup!) },
    })
    this.payouts.clock.set(before.clock.now())
    const { server, orm } = this.payouts
    this.holders = await Promise.all(
      this.holders.map(async ({ user: { id } }) => {
        const user = await orm.em.fork().findOneOrFail(User, id)
        const wallet = this.#wallets.find(({ address }) => address.toLowerCase() === user.walletAddress)!
        return returnBuyer(server, { user, wallet })
      }),
    )
    await this.#enter()
  }

  // The time

  /** Moves the clock and the chain's next block. */
  async pass(milliseconds: number): Promise<void> {
    this.payouts.clock.advance(milliseconds)
    await this.payouts.chain.client.increaseTime({ seconds: Math.ceil(milliseconds / SECOND) })
  }

  // Rows

  async withdrawals(): Promise<Withdrawal[]> {
    return this.payouts.orm.em.fork().find(Withdrawal, {}, { orderBy: { requestedAt: 'asc', id: 'asc' } })
  }

  rows<Row>(text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return sql<Row>(this.payouts.orm.em.fork(), text, parameters)
  }

  // Administrators

  /** The second administrator becomes an owner too, so that some decisions need both, or is none any more. */
  changeOwners = () =>
    this.rows(`update administrators set role = case role when 'owner' then 'finance' else 'owner' end where id = $1`, [
      this.other.id,
    ])

  /** What an administrator decides about a withdrawal: at once, or as a proposal that the other one approves later. */
  async decide({ id }: Withdrawal, call: (office: TestBrowser) => Promise<unknown>): Promise<string> {
    const before = await this.#rowOf(id)
    return outcomeOf(
      call(this.random.chance(80) ? this.office : this.other.browser).catch(async (error: unknown) => {
        if (error instanceof Proposed) this.#proposed.set(error.proposal.id, { id, rows: [before, await this.#rowOf(id)] })
        throw error
      }),
    )
  }

  /** @param of the withdrawal that it decides about; by default any. */
  async approveProposal(of?: Withdrawal): Promise<string> {
    const approver = this.random.chance(80) ? this.other.browser : this.office
    const { proposals } = await approver.call(listProposals, { query: { limit: 100, offset: 0 } })
    const open = proposals.filter(
      ({ id, state, mayDecide }) =>
        state === 'open' && (!of || this.#proposed.get(id)?.id === of.id) && (mayDecide || this.random.chance(10)),
    )
    if (open.length === 0) return 'none'
    const proposal = this.random.oneOf(open)
    const asked = this.#proposed.get(proposal.id)
    const row = asked && (await this.#rowOf(asked.id))
    const outcome = await outcomeOf(approve(approver, proposal))
    if (outcome === 'done' && row !== undefined && !asked!.rows.includes(row))
      this.wrongs.push(`${proposal.action} was proposed for ${asked!.rows[0]} and approved for ${row}`)
    return `${proposal.id.slice(-4)} ${proposal.action} ${row}: ${outcome}`
  }

  async #rowOf(id: string): Promise<string> {
    const [row] = await this.rows<{ shown: string }>(
      `select concat_ws(' ', status, review_reason, held_until, amount, fee, to_address, admin_notes, transaction_hash) as shown
       from withdrawals where id = $1`,
      [id],
    )
    return row!.shown
  }

  // Holders

  async request(holder: Buyer, xcr: string): Promise<string> {
    const withdrawals = withdrawalsOf(this.payouts.server)
    await holder.grantMark()
    const signed = await withdrawals.sign(holder, xcr, { change: { fee: parseAmount(this.fee)! } })
    const asked = [withdrawals.send(holder, signed)]
    // Sometimes sent twice, as by two tabs.
    if (this.random.chance(20)) asked.push(withdrawals.send(holder, signed))
    return (await Promise.all(asked.map((one) => outcomeOf(one)))).join(' and ')
  }

  /** Registers a new wallet. */
  async replaceWallet(holder: Buyer, { isContract }: { isContract: boolean }): Promise<void> {
    const wallet = makeAccount()
    const address = wallet.address.toLowerCase() as Address
    if (isContract) this.#contracts.add(address)
    const { server, clock } = this.payouts
    const message = walletProofMessage({
      host: new URL(server.url).host,
      email: holder.user.email,
      address,
      timestamp: clock.now().toISOString(),
    })
    const signature = await wallet.signMessage({ message })
    await holder.browser.call(updateWallet, { body: { walletAddress: address, message, signature } })
    holder.wallet = wallet
    this.#wallets.push(wallet)
  }

  /** A new session, because a freeze has ended the others. */
  async logIn(holder: Buyer): Promise<void> {
    const { orm, server } = this.payouts
    holder.sessionKey = await logIn(server, holder.browser, await orm.em.fork().findOneOrFail(User, holder.user.id))
  }

  /** The accounts that are frozen now. */
  async frozen(): Promise<Set<string>> {
    const rows = await this.rows<{ id: string }>(
      'select id from users where frozen_at is not null and (thaws_at is null or thaws_at > $1)',
      [this.payouts.clock.now()],
    )
    return new Set(rows.map(({ id }) => id))
  }

  /** By the link of a mail about security. */
  async freezeByLink(holder: Buyer): Promise<string> {
    const tokens = await freezeTokensTo(this.payouts, holder.user.email)
    if (tokens.length === 0) return 'no link'
    await holder.browser.call(freezeByLink, { body: { token: this.random.oneOf(tokens.slice(0, 3)) } })
    await this.logIn(holder)
    return 'done'
  }

  /** The account is thawed a day later. */
  async planThaw(holder: Buyer): Promise<void> {
    await this.pass(TIME_STEP)
    await holder.browser.call(thawAccount, { body: { password: TEST_PASSWORD, token: await holder.codeAt(0) } })
  }

  reward = (holder: Buyer, xcr: string) => giveXcr(this.payouts.orm, holder.user.id, xcr)

  // Workers

  /** One round of the leader. Errors that a fault explains are part of the outcome. */
  tick(step?: (step: PayoutStep) => Promise<void>): Promise<string> {
    if (step) this.#lead(this.#epoch, step)
    return this.outcomeOfRound(this.#worker.tick())
  }

  /** Another worker leads from now on. */
  async takeOver(): Promise<void> {
    const [row] = await this.rows<{ epoch: number }>(
      `update leaderships set epoch = epoch + 1 where role = 'payouts' returning epoch`,
    )
    this.#lead(row!.epoch)
  }

  #lead(epoch: number, step?: (step: PayoutStep) => Promise<void>): void {
    this.#epoch = epoch
    this.#worker = this.payouts.newWorker({ epoch, account: this.wallet.account, ...(step && { step }) })
  }

  // Payout wallets

  /** Configures the key of the other payout wallet. Payments of the former one may be pending, stuck or being rejected. */
  async changeKey(): Promise<string> {
    if (this.wallets.length === 1) this.wallets.push(await this.#openWallet())
    this.wallet = this.wallets.find((wallet) => wallet !== this.wallet)!
    this.#configure()
    await this.takeOver()
    return `wallet ${this.wallets.indexOf(this.wallet)}`
  }

  #configure(): void {
    Object.assign(this.payouts.services.config, { PAYOUT_PRIVATE_KEY: this.wallet.privateKey })
  }

  async #openWallet(): Promise<PayoutWallet> {
    const { chain } = this.payouts
    const privateKey = generatePrivateKey()
    const account = await createPayoutAccount({ privateKey, chainId: chain.chainId, token: chain.token })
    await chain.client.setBalance({ address: account.address, value: 10n ** 21n })
    await chain.mint(account.address, parseAmount('100000')!)
    return { account, privateKey, key: privateKeyToAccount(privateKey) }
  }

  /** A restored database does not know a wallet that paid first since, so an operator reconciles with its key before the start. */
  async #reconcileUnknownWallets(): Promise<void> {
    const known = new Set(
      (await this.rows<{ address: Address }>('select address from payout_wallets')).map(({ address }) => address),
    )
    const unknown = this.wallets.filter((wallet) => wallet !== this.wallet && !known.has(wallet.account.address))
    if (unknown.length === 0) return
    this.endpoints.heal()
    await this.payouts.chain.mine(1)
    for (const wallet of unknown)
      await this.reconcile(wallet).catch((refused: unknown) => {
        if (!(refused instanceof CannotReconcile)) throw refused
      })
  }

  reconcile({ account }: PayoutWallet = this.wallet): Promise<string[]> {
    const { services } = this.payouts
    const endpoints = rewardEndpoints(services.config)
    return reconcilePayouts(services, { endpoints, actor: 'operator:test', wallet: account.address })
  }

  transfers = () => this.payouts.transfers(this.wallets.map(({ account }) => account.address))

  /** Of the wallet whose key is configured. */
  fund = (xcr: string) => this.payouts.chain.mint(this.wallet.account.address, parseAmount(xcr)!)

  setCoins = ({ key }: PayoutWallet, value: bigint) => this.payouts.chain.client.setBalance({ address: key.address, value })

  /** A worker that pauses at the first of these steps until another one has led. @returns what became of both. */
  async depose(at: readonly PayoutStep[]): Promise<string> {
    const reached = Promise.withResolvers<PayoutStep>()
    const released = Promise.withResolvers<void>()
    const old = this.tick(async (step) => {
      if (!at.includes(step)) return
      reached.resolve(step)
      await released.promise
    })
    const paused = await Promise.race([reached.promise, old.then(() => undefined)])
    await this.takeOver()
    if (!paused) return 'none'
    const next = await this.tick()
    released.resolve()
    if (paused === 'receiptRead' && (await old) === 'done') this.wrongs.push('a worker that no longer leads has settled payouts')
    return `at ${paused}: old ${await old}, new ${next}`
  }

  async outcomeOfRound(round: Promise<unknown>): Promise<string> {
    const wasAnyFaulty = this.endpoints.isAnyFaulty
    try {
      await round
      return 'done'
    } catch (error) {
      const { name, message } = error as Error
      const isExpected =
        name === 'Crash' ||
        name === 'LeadershipLost' ||
        ((wasAnyFaulty || this.endpoints.isAnyFaulty) &&
          (name === 'RpcFailure' || name === 'RpcRefusal' || message.includes('Too few endpoints')))
      if (!isExpected) throw error
      return name
    }
  }

  // The reward chain

  /** Replaces blocks that are not final. Some of their transactions are mined again, others are pending again or forgotten. */
  async reorganize(): Promise<string> {
    const { chain } = this.payouts
    const head = await chain.client.getBlockNumber()
    const depth = this.random.between(1, CONFIRMATIONS - 1)
    const kept: [Hex, number][] = []
    const again: Hex[] = []
    for (let number = head - BigInt(depth) + 1n; number <= head; number += 1n) {
      const { transactions } = await chain.client.getBlock({ blockNumber: number })
      for (const hash of transactions) {
        const signed = await chain.signedBytes(hash)
        if (this.random.chance(40)) kept.push([signed, this.random.between(kept.at(-1)?.[1] ?? 0, depth - 1)])
        else if (this.random.chance(60)) again.push(await this.#rivalOf(hash, signed))
      }
    }
    // A kept transaction may depend on one that is not.
    await chain.reorganize(depth, kept).catch(() => chain.reorganize(depth))
    for (const signed of again) await chain.client.sendRawTransaction({ serializedTransaction: signed }).catch(() => {})
    return `depth ${depth}, ${kept.length} kept, ${again.length} sent again`
  }

  /** Perhaps another transaction of the same payout, which some node still had. */
  async #rivalOf(hash: Hash, signed: Hex): Promise<Hex> {
    const rivals = await this.rows<{ signed_bytes: Hex }>(
      `select a.signed_bytes from payout_attempts a join payout_attempts b using (payout_id) where b.hash = $1 order by a.id`,
      [hash],
    )
    return rivals.length > 0 ? this.random.oneOf(rivals).signed_bytes : signed
  }

  /** Sets a payout wallet's tokens, so that its next transfers fail. */
  emptyWallet = () =>
    this.payouts.chain.client.setStorageAt({
      address: this.payouts.chain.token,
      // `balanceOf` is the first variable of DevToken.sol.
      index: keccak256(
        encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [this.random.oneOf(this.wallets).account.address, 0n]),
      ),
      value: numberToHex(ONE_TOKEN, { size: 32 }),
    })

  /** @returns undefined if the chain refuses it, because the gas price has risen meanwhile. */
  async payByHand({ id, toAddress, amount, fee }: Withdrawal, difference = 0n): Promise<Hash | undefined> {
    const { chain } = this.payouts
    const transfer = { from: this.treasury, to: toAddress, amount: amount - fee - difference }
    const hash = await chain.transfer(transfer).catch(() => undefined)
    if (hash) this.byHand.push({ hash, withdrawal: id })
    return hash
  }

  /** Sends from a payout wallet outside of the product. */
  async sendForeign(to: Address, xcr: string): Promise<void> {
    const { chain } = this.payouts
    const { key } = this.random.oneOf(this.wallets)
    const hash = await chain.transfer({ from: key, to, amount: parseAmount(xcr)! }).catch(() => undefined)
    if (hash) this.foreign.add(hash)
  }

  /** Replaces an unmined transaction of a payout wallet by a foreign one. */
  async useNonceElsewhere(): Promise<void> {
    const { chain } = this.payouts
    const [next] = await this.rows<{ hash: Hash; nonce: number; wallet: Address }>(
      `select hash, nonce, wallet_address as wallet from payouts p join payout_attempts a on payout_id = p.id where state = 'sent' order by nonce, a.id desc`,
    )
    if (!next) return
    await chain.client.dropTransaction({ hash: next.hash }).catch(() => {})
    const { key } = this.wallets.find(({ account }) => account.address === next.wallet)!
    const to = makeAccount().address
    await chain.client.sendTransaction({ account: key, to, value: 1n, nonce: Number(next.nonce) }).catch(() => {})
  }
}

interface Opened {
  payouts: Payouts
  random: Random
  contracts: Set<Address>
  endpoints: FaultyRpc[]
  treasury: PrivateKeyAccount
  env: Environment
}

/** Answers as the payment chain on which these addresses are contracts. */
async function startPaymentStub(chainUrl: string, contracts: ReadonlySet<string>): Promise<FaultyRpc> {
  const stub = await startFaultyRpc(chainUrl)
  stub.fail(({ method, params }) => {
    if (method === 'eth_chainId') return { rewrite: () => '0x38' }
    if (method === 'eth_call') return { rewrite: () => numberToHex(18, { size: 32 }) }
    if (method === 'eth_getCode') return { rewrite: () => (contracts.has(String(params[0])) ? '0x60' : '0x') }
    return undefined
  })
  return stub
}

/** What a call says, "done", or the code of the refusal. @throws what is no refusal. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    const answer = await call
    return typeof answer === 'string' ? answer : 'done'
  } catch (error) {
    if (error instanceof Proposed) return `proposed ${error.proposal.id.slice(-4)}`
    if (error instanceof DomainError && (error.status < 500 || error.retryAfter !== undefined)) return error.code
    if (!(error instanceof ApiError) || (error.status >= 500 && error.status !== 503)) throw error
    return error.code ?? String(error.status)
  }
}

export const shown = ({ amount, fee, status, reviewReason }: Withdrawal): string =>
  `${formatAmount(amount)}-${formatAmount(fee)} ${status}${reviewReason ? ` (${reviewReason})` : ''}`
