import type { MikroORM } from '@mikro-orm/postgresql'
import { type Address, type Hash, parseEther, type PrivateKeyAccount } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { SECOND } from '#shared/dates.ts'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { auditPayouts } from '#api/integrity/auditPayouts.ts'
import { createPayoutChains } from '#api/integrity/createPayoutChains.ts'
import { createPayoutAccount, type PayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { Environment } from '#api/platform/config.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { sql } from '#api/platform/db/sql.ts'
import { Withdrawal } from '#api/entities/Withdrawal.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import type { PayoutStep } from '#api/withdrawals/payouts/PayoutDesk.ts'
import { PayoutWorker } from '#api/withdrawals/payouts/PayoutWorker.ts'
import { reconcilePayouts } from '#api/withdrawals/payouts/reconcilePayouts.ts'
import type { Services } from '#api/platform/services.ts'
import { changeSetting } from '#api/sale/settings/changeSetting.ts'
import { makeAccount, startRewardChain, type TestChain } from './chains.ts'
import { createDatabase, type TestDatabase } from './database.ts'
import type { FakeClock } from './FakeClock.ts'
import { findDifferences } from './findDifferences.ts'
import { openServer, type TestServer } from './server.ts'
import { whenOver } from './whenOver.ts'
import { type GivenWithdrawal, insertWithdrawal } from './withdrawals.ts'

export interface PayoutsOptions {
  confirmations?: number
  /** `manual` (default): transactions wait for `mine`. */
  mining?: 'instant' | 'manual'
  /** What the payout wallet holds. */
  xcr?: string
  coins?: string
  env?: Environment
  /** How the product reaches the database, where that is not as a test does. */
  reach?: (database: TestDatabase) => Environment
  /** The chain of the test stands behind these in place of being asked itself. */
  rpcUrls?: (chain: TestChain) => string[] | Promise<string[]>
  /** Goes on with the chain and the wallet of another one, on another database: such as one that was restored. */
  after?: { payouts: Payouts; database: DroppableDatabase }
}

type DroppableDatabase = Awaited<ReturnType<typeof createDatabase>>

/** A payout as tests look at it. */
export interface PayoutRow {
  nonce: number
  cause: string
  state: string
  amount: string
  final_hash: Hash | null
  /** What was signed, oldest first. */
  attempts: { hash: Hash; kind: 'pay' | 'cancel'; signed_bytes: `0x${string}`; max_fee_per_gas: string }[]
}

export interface WorkerOptions {
  endpoints?: readonly RpcEndpoint[]
  epoch?: number
  /** Another key than the one of the test. */
  account?: PayoutAccount
  step?: (step: PayoutStep) => Promise<void>
}

export interface Payouts {
  server: TestServer
  services: Services
  database: TestDatabase
  orm: MikroORM
  clock: FakeClock
  chain: TestChain
  confirmations: number
  /** The payout wallet's. */
  account: PayoutAccount
  /** The payout wallet in other hands. */
  key: PrivateKeyAccount
  privateKey: `0x${string}`
  alerts: string[]
  /** The leading worker looks once. */
  tick(): Promise<void>
  /** Mines until what was sent is final, and lets the worker look. */
  confirm(): Promise<void>
  /** Mines a block whose time is a minute after the last one's: later than whatever was asked for by now. */
  mineLater(): Promise<void>
  newWorker(options?: WorkerOptions): PayoutWorker
  /** Somebody asks for a withdrawal to a wallet that holds nothing yet. */
  open(given?: GivenWithdrawal): Promise<Withdrawal>
  withdrawal(id: string): Promise<Withdrawal>
  /** In the order of their nonces. */
  payouts(): Promise<PayoutRow[]>
  wallet(): Promise<{ nextNonce: number; stoppedBecause: string | null }>
  /** What an account of the ledger holds. */
  balance(id: string): Promise<string>
  fees(): Promise<string>
  /** Every transfer of the payout wallet that is on the chain, in its order. */
  transfers(): Promise<{ to: Address; amount: string; hash: Hash }[]>
  /** What a wallet holds on the chain. */
  held(owner: Address): Promise<string>
  fund(xcr: string): Promise<void>
  collectFees(recipient: Address | ''): Promise<void>
  /** As an operator does. */
  reconcile(endpoints?: readonly RpcEndpoint[]): Promise<string[]>
  /** All that the audit finds, of the rows and on the chain. */
  audit(): Promise<string[]>
  /** Ends the product, as for a restore; the chain goes on. */
  stop(): Promise<void>
}

/** Withdrawals and a funded wallet that pays them, for one test: a database, a reward chain, and a worker that looks when told to. */
export async function startPayouts({
  confirmations = 3,
  mining = 'manual',
  xcr = '1000000',
  coins = '1000',
  env = {},
  reach,
  rpcUrls,
  after,
}: PayoutsOptions = {}): Promise<Payouts> {
  const [database, chain] = after
    ? [after.database, after.payouts.chain]
    : await Promise.all([createDatabase(), startRewardChain({ mining })])
  whenOver(async () => {
    if (!after) await chain.stop()
    await database.drop()
  })
  const privateKey = after?.payouts.privateKey ?? generatePrivateKey()
  const key = privateKeyToAccount(privateKey)
  const { address } = key
  if (!after) {
    await chain.client.setBalance({ address, value: parseEther(coins) })
    if (xcr !== '0') await chain.mint(address, parseAmount(xcr)!)
    await chain.mine(confirmations)
  }

  const { stop, ...server } = await openServer(database, {
    env: {
      XCR_RPC_URLS: ((await rpcUrls?.(chain)) ?? [chain.url]).join(','),
      XCR_TOKEN_ADDRESS: chain.token,
      XCR_CONFIRMATIONS: String(confirmations),
      PAYOUT_PRIVATE_KEY: privateKey,
      ...reach?.(database),
      ...env,
    },
  })
  let stopped: Promise<void> | undefined
  const stopOnce = () => (stopped ??= stop())
  whenOver(stopOnce)
  const { services, clock } = server
  const { orm, config } = services
  const rows = <Row>(text: string, parameters: readonly unknown[] = []) => sql<Row>(orm.em.fork(), text, parameters)
  const account = await createPayoutAccount({ privateKey, chainId: REWARD_CHAIN_ID, token: config.XCR_TOKEN_ADDRESS })
  const alerts: string[] = []
  await rows(`update leaderships set epoch = 1 where role = 'payouts'`)

  const newWorker: Payouts['newWorker'] = ({ endpoints = rewardEndpoints(config), epoch = 1, account: other, step } = {}) =>
    new PayoutWorker({
      services,
      endpoints,
      account: other ?? account,
      term: { role: 'payouts', epoch },
      onAlert: (message) => void alerts.push(message),
      step,
    })
  const worker = newWorker()
  const balance: Payouts['balance'] = async (id) => {
    const [row] = await rows<{ balance: string }>('select balance from accounts where id = $1', [id])
    return formatAmount(BigInt(row?.balance ?? 0))
  }

  return {
    server,
    services,
    database,
    orm,
    clock,
    chain,
    confirmations,
    account,
    key,
    privateKey,
    alerts,
    tick: async () => void (await worker.tick()),
    async confirm() {
      await chain.mine(confirmations)
      await worker.tick()
    },
    async mineLater() {
      const { timestamp } = await chain.client.getBlock()
      await chain.mineAt(new Date(Number(timestamp + 60n) * SECOND))
    },
    newWorker,
    open: (given = {}) => insertWithdrawal(orm, { toAddress: makeAccount().address, now: clock.now(), ...given }),
    withdrawal: (id) => orm.em.fork().findOneOrFail(Withdrawal, id),
    async payouts() {
      const found = await rows<Omit<PayoutRow, 'nonce'> & { nonce: number }>(
        `select nonce, cause, state, amount, final_hash,
           (select json_agg(json_build_object('hash', hash, 'kind', kind, 'signed_bytes', signed_bytes,
              'max_fee_per_gas', max_fee_per_gas::text) order by a.id)
            from payout_attempts a where payout_id = p.id) as attempts
         from payouts p order by nonce`,
      )
      return found.map((row) => ({ ...row, nonce: Number(row.nonce), amount: formatAmount(BigInt(row.amount)) }))
    },
    async wallet() {
      const [row] = await rows<{ next_nonce: number; stopped_because: string | null }>(
        'select next_nonce, stopped_because from payout_wallets',
      )
      return { nextNonce: Number(row!.next_nonce), stoppedBecause: row!.stopped_because }
    },
    balance,
    fees: () => balance(houseAccounts.fees),
    async transfers() {
      const logs = await chain.client.getLogs({
        address: chain.token,
        event: {
          type: 'event',
          name: 'Transfer',
          inputs: [
            { type: 'address', name: 'from', indexed: true },
            { type: 'address', name: 'to', indexed: true },
            { type: 'uint256', name: 'value' },
          ],
        },
        args: { from: address },
        fromBlock: 0n,
      })
      return logs.map(({ args, transactionHash }) => ({
        to: args.to!.toLowerCase() as Address,
        amount: formatAmount(args.value!),
        hash: transactionHash,
      }))
    },
    held: async (owner) => formatAmount(await chain.balanceOf(owner)),
    fund: (more) => chain.mint(address, parseAmount(more)!),
    async collectFees(recipient) {
      clock.advance(1)
      await orm.em
        .fork()
        .transactional((em) => changeSetting(em, { key: 'fee_recipient_address', value: recipient, effectiveAt: clock.now() }))
    },
    reconcile: (endpoints = rewardEndpoints(config)) =>
      reconcilePayouts(services, { endpoints, actor: 'operator:test', wallet: account.address }),
    async audit() {
      const { findings } = await auditPayouts(orm.em.fork(), createPayoutChains(config))
      return [...(await findDifferences(orm)), ...findings.flatMap(({ differences }) => differences)]
    },
    stop: stopOnce,
  }
}
