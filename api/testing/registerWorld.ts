import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Address, getContractAddress, parseEther } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { DAY, HOUR, SECOND, utcDay } from '#shared/dates.ts'
import { rewardInstant } from '#shared/rewardTime.ts'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { registerAnchor } from '#api/dev/contracts/generated/registerAnchor.ts'
import { deployOnce } from '#api/dev/deployOnce.ts'
import { createPayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { sql } from '#api/platform/db/sql.ts'
import { PublicFiles } from '#api/integrity/register/PublicFiles.ts'
import { serveFiles } from '#api/integrity/register/serveFiles.ts'
import { publishNewest, type PublishOptions } from '#api/integrity/register/publish/publishRegister.ts'
import { type Options, type Report, type Tick, verify } from '#api/integrity/register/verify.mjs'
import { payCorrections } from '#api/rewards/daily/payCorrections.ts'
import { payDueDays } from '#api/rewards/daily/payDueDays.ts'
import { storeDefaults } from '#api/sale/settings/storeDefaults.ts'
import type { Withdrawal } from '#api/entities/Withdrawal.ts'
import { markWithdrawalPaid } from '#api/withdrawals/requests/markWithdrawalPaid.ts'
import { readPayment } from '#api/withdrawals/requests/readPayment.ts'
import { PayoutWorker } from '#api/withdrawals/payouts/PayoutWorker.ts'
import { makeAccount, startRewardChain, type TestChain } from './chains.ts'
import { clockTimeSources } from './FakeClock.ts'
import { onCleanup } from './onCleanup.ts'
import type { SaleOptions } from './sale.ts'
import { type BackOffice, startBackOffice } from './backOffice.ts'
import { REGISTER_ON } from './testConfig.ts'

export interface RegisterWorld extends BackOffice {
  rewards: TestChain
  /** The payout wallet. */
  wallet: `0x${string}`
  /** Moves product time to 09:00 of the next day and pays it, with the rewards that thawed nodes missed. Returns the day. */
  payDay(): Promise<string>
  /** What the verifier finds wrong, or could not look at. */
  problems(): Promise<Record<string, Tick>>
  /** Runs the payout worker once. */
  tickPayouts(): Promise<void>
  /** Sends, mines and settles what is due on the reward chain. */
  payOut(): Promise<void>
  /** Pays a withdrawal by hand from a wallet of the operator's. */
  payElsewhere(withdrawal: Withdrawal): Promise<void>
  publish(options?: PublishOptions): Promise<void>
  /** The entries of the log. */
  entries(): Promise<string[]>
  /** The verdict of the independent verifier over the served files and both chains. */
  verify(options?: Partial<Options>, command?: Parameters<typeof verify>[0]): Promise<Report>
}

interface RegisterOptions extends SaleOptions {
  /** In the payout wallet. */
  xcr?: string
  /** The log begins after the set-up. */
  isSetUp?: boolean
}

export interface AnchoredRegister extends RegisterWorld {
  contract: Address
  /** May write into the contract. */
  publisher: PrivateKeyAccount
}

/** A register whose roots are anchored on the payment chain. */
export async function startAnchoredRegister(options: RegisterOptions = {}): Promise<AnchoredRegister> {
  const [deployer, privateKey] = [makeAccount(), generatePrivateKey()]
  const contract = getContractAddress({ from: deployer.address, nonce: 0n })
  const anchor = { ANCHOR_PRIVATE_KEY: privateKey, REGISTER_ANCHOR_ADDRESS: contract }
  const world = await startRegister({ ...options, env: { ...options.env, ...anchor } })
  const publisher = privateKeyToAccount(privateKey)
  const { client } = world.chain
  await deployOnce(client, deployer, { ...registerAnchor, args: [publisher.address] })
  // The contract is final.
  await world.chain.mine(5)
  await client.setBalance({ address: publisher.address, value: parseEther('1') })
  return { ...world, contract, publisher }
}

/** A sale with both chains, a payout wallet and the register, whose steps the test runs. */
export async function startRegister({
  env = {},
  // Three blocks of leaves. Each day has a leaf for every node, which takes longer to hash than all else takes.
  supply = 600,
  xcr = '100000',
  isSetUp = true,
  ...options
}: RegisterOptions = {}): Promise<RegisterWorld> {
  const rewards = await startRewardChain({ mining: 'manual' })
  onCleanup(() => rewards.release())
  const privateKey = generatePrivateKey()
  const wallet = privateKeyToAccount(privateKey).address.toLowerCase() as `0x${string}`
  await rewards.client.setBalance({ address: wallet, value: parseEther('1000') })
  await rewards.mint(wallet, parseEther(xcr))
  await rewards.mine(3)
  const sale = await startBackOffice({
    ...options,
    supply,
    env: {
      XCR_RPC_URLS: rewards.url,
      XCR_TOKEN_ADDRESS: rewards.token,
      XCR_CONFIRMATIONS: '3',
      PAYOUT_PRIVATE_KEY: privateKey,
      ...REGISTER_ON,
      ...env,
    },
  })
  const { services, clock } = sale.server
  const { orm, config } = services
  await orm.em.fork().transactional((em) => storeDefaults(em, clock.now()))
  if (isSetUp) await sql(orm.em.fork(), 'update installation set set_up_at = now()')
  await sql(orm.em.fork(), `update leaderships set epoch = 1 where role = 'payouts'`)
  const account = await createPayoutAccount({ privateKey, chainId: REWARD_CHAIN_ID, token: config.XCR_TOKEN_ADDRESS })
  const worker = new PayoutWorker({
    services,
    endpoints: rewardEndpoints(config),
    account,
    term: { role: 'payouts', epoch: 1 },
    onAlert: (message) => void sale.alerts.push(message),
  })
  const verifyNow: RegisterWorld['verify'] = async (given, command = 'all') => {
    const { site, close } = await serveNow(orm)
    try {
      const origin = config.register!.origin.replace(/\/register$/, '')
      return await verify(command, { site, origin, rpcs: [sale.chain.url], rewardRpcs: [rewards.url], now: Date.now(), ...given })
    } finally {
      close()
    }
  }
  return {
    ...sale,
    rewards,
    wallet,
    verify: verifyNow,
    async problems() {
      const { ticks } = await verifyNow()
      return Object.fromEntries([...ticks].filter(([, { outcome }]) => outcome === 'failed' || outcome === 'unknown'))
    },
    async payDay() {
      // Rows and blocks have the present time.
      clock.set(new Date())
      const today = utcDay(new Date(clock.productNow().getTime() - 9 * HOUR + DAY))
      clock.advanceProduct(rewardInstant(today).getTime() - clock.productNow().getTime())
      const offset = clock.productNow().getTime() - clock.now().getTime()
      await sql(orm.em.fork(), 'update installation set clock_offset_ms = $1', [offset])
      await payDueDays({ orm, clock, timeSources: clockTimeSources(clock) })
      await payCorrections({ orm, clock })
      return today
    },
    tickPayouts: async () => void (await worker.tick()),
    async payOut() {
      await worker.tick()
      await rewards.mine(3)
      await worker.tick()
    },
    async payElsewhere({ id, amount, fee, toAddress }) {
      const operator = makeAccount()
      await rewards.mint(operator.address, amount - fee)
      const transactionHash = await rewards.transfer({ from: operator, to: toAddress, amount: amount - fee })
      // Later than the request, whose time has milliseconds.
      await rewards.mineAt(new Date(Date.now() + 2 * SECOND))
      await rewards.mine(3)
      const payment = await readPayment(rewardEndpoints(config), { config, transactionHash })
      await orm.em.fork().transactional((em) => markWithdrawalPaid(em, services, { id, payment }))
    },
    async publish(given) {
      clock.set(new Date())
      await publishNewest(services, given)
    },
    async entries() {
      const rows = await sql<{ text: string }>(orm.em.fork(), 'select text from register_entries order by index')
      return rows.map(({ text }) => text)
    },
  }
}

/** Serves what is published now. A reader's server keeps its answers for a second. */
async function serveNow(orm: BackOffice['database']['orm']): Promise<{ site: string; close(): void }> {
  const serve = serveFiles(new PublicFiles({ orm }), {
    securityHeaders: {},
    onError: (error) => {
      throw error
    },
  })
  const server = http.createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    site: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
