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
import type { PayoutStep } from '#api/withdrawals/payouts/PayoutContext.ts'
import { PayoutWorker } from '#api/withdrawals/payouts/PayoutWorker.ts'
import { reconcilePayouts } from '#api/withdrawals/payouts/reconcilePayouts.ts'
import type { Services } from '#api/platform/services.ts'
import { changeSetting } from '#api/sale/settings/changeSetting.ts'
import { makeAccount, startRewardChain, type TestChain } from './chains.ts'
import { createDatabase, type TestDatabase } from './database.ts'
import type { FakeClock } from './FakeClock.ts'
import { findDifferences } from './findDifferences.ts'
import { openServer, type TestServer } from './server.ts'
import { onCleanup } from './onCleanup.ts'
import { type GivenWithdrawal, insertWithdrawal } from './withdrawals.ts'
import { type FaultyRpc, startFaultyRpc } from './faultyRpc.ts'

export interface PayoutsOptions {
  confirmations?: number
  /** `manual` (default) leaves transactions pending until `mine`. */
  mining?: 'instant' | 'manual'
  /** The balance of the payout wallet. */
  xcr?: string
  coins?: string
  env?: Environment
  /** Variables that connect the product to the database in another way than the test, such as through a pooler. */
  reach?: (database: TestDatabase) => Environment
  /** Endpoints in front of the test's chain that the product uses instead of it. */
  rpcUrls?: (chain: TestChain) => string[] | Promise<string[]>
  /** Continues with the chain and the wallet of another one on another database, such as a restored one. */
  after?: { payouts: Payouts; database: DroppableDatabase }
}

type DroppableDatabase = Awaited<ReturnType<typeof createDatabase>>

/** The columns of a payout that tests compare. */
export interface PayoutRow {
  nonce: number
  cause: string
  state: string
  amount: string
  final_hash: Hash | null
  /** Signed transactions, oldest first. */
  attempts: { hash: Hash; kind: 'pay' | 'cancel'; signed_bytes: `0x${string}`; max_fee_per_gas: string }[]
}

export interface WorkerOptions {
  endpoints?: readonly RpcEndpoint[]
  epoch?: number
  /** Another key than the test's. */
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
  /** The product's account of the payout wallet. */
  account: PayoutAccount
  /** The key of the payout wallet outside of the product. */
  key: PrivateKeyAccount
  privateKey: `0x${string}`
  alerts: string[]
  /** Runs the leading worker once. */
  tick(): Promise<void>
  /** Mines until the sent transactions are final, and runs the worker once. */
  confirm(): Promise<void>
  /** Mines a block one minute after the last one, later than every request so far. */
  mineLater(): Promise<void>
  newWorker(options?: WorkerOptions): PayoutWorker
  /** Opens a withdrawal to a new, empty wallet. */
  open(given?: GivenWithdrawal): Promise<Withdrawal>
  withdrawal(id: string): Promise<Withdrawal>
  /** Returns all payouts in nonce order. */
  payouts(): Promise<PayoutRow[]>
  wallet(): Promise<{ nextNonce: number; stoppedBecause: string | null }>
  /** Returns the balance of a ledger account. */
  balance(id: string): Promise<string>
  fees(): Promise<string>
  /** Returns every transfer from the payout wallet, or from these, in chain order. */
  transfers(senders?: readonly Address[]): Promise<{ to: Address; amount: string; hash: Hash }[]>
  /** Returns the XCR balance of a wallet on the chain. */
  held(owner: Address): Promise<string>
  fund(xcr: string): Promise<void>
  collectFees(recipient: Address | ''): Promise<void>
  /** Reconciles as the operator's command does. */
  reconcile(endpoints?: readonly RpcEndpoint[]): Promise<string[]>
  /** Returns all differences that the audit finds in the rows and on the chain. */
  audit(): Promise<string[]>
  /** Stops the product, as for a restore; the chain keeps running. */
  stop(): Promise<void>
}

/** Starts a database, a reward chain, a funded payout wallet and a worker that the test runs, for one test. */
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
  onCleanup(async () => {
    if (!after) await chain.release()
    await database.release()
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
  onCleanup(stopOnce)
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
    async transfers(senders = [address]) {
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
        args: { from: [...senders] },
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

/** With two endpoints of the reward chain, or more, whose faults the test decides. */
export async function startPayoutsOnHosts({ hosts = 2, ...options }: PayoutsOptions & { hosts?: number } = {}) {
  const rpcs: FaultyRpc[] = []
  const payouts = await startPayouts({
    ...options,
    async rpcUrls({ url }) {
      for (let index = 0; index < hosts; index += 1) rpcs.push(await startFaultyRpc(url))
      return rpcs.map((rpc) => rpc.url)
    },
  })
  const [first, second] = rpcs as [FaultyRpc, FaultyRpc]
  return { payouts, first, second }
}
