import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { QueryResultRow } from 'pg'
import { type Address, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { buildPwa } from '#api/dev/buildPwa.ts'
import { buildServer } from '#api/dev/buildServer.ts'
import { connectDevChain, type DevChainClient, PAYMENT_CHAIN_ID, REWARD_CHAIN_ID } from '#api/dev/connectDevChain.ts'
import { xcrToken } from '#api/dev/contracts/generated/xcrToken.ts'
import { freePort } from '#api/dev/freePort.ts'
import type { RoleUrls } from '#api/dev/openRoles.ts'
import { claimStack } from '#api/dev/runningStack.ts'
import { startChain } from '#api/dev/startChain.ts'
import { deployXcr, placeUsdt } from '#api/dev/tokens.ts'
import { DEPOSIT_ADDRESS, USDT_ADDRESS } from '../bench/startParts.ts'
import { TEST_ENCRYPTION_KEY } from '#api/testing/factories.ts'
import { REGISTER_ON } from '#api/testing/testConfig.ts'
import { startNginx } from '#api/testing/startNginx.ts'
import { keyFor } from './keyFor.ts'
import { MailSwitch } from './MailSwitch.ts'
import { Member } from './Member.ts'
import { type RpcProxy, startRpcProxy } from './startRpcProxy.ts'
import { startProxy } from './startProxy.ts'

/** Milliseconds between two blocks. */
const BLOCK_TIME = 500

export interface WorldOptions {
  seed: number
  /** The number of processes of each role. */
  processes: { web: number; worker: number; watcher: number }
  proxy: 'nginx' | 'in this process'
}

/** What the product and its users need of a database. */
export interface Database {
  /** Connects as the superuser, for faults and checks. */
  readonly url: string
  /** Connects as the product's roles. */
  readonly roles: RoleUrls
  /** Connects to a standby. */
  readonly replicaUrl?: string
  query<Row extends QueryResultRow>(text: string, parameters?: readonly unknown[]): Promise<Row[]>
  stop(): Promise<void>
}

export interface LocalChain {
  url: string
  client: DevChainClient
  token: Address
  /** The endpoints that the product uses. */
  endpoints: RpcProxy[]
  /** Runs work while no block is mined: a local chain that mines during a reorganization permanently loses blocks. */
  withoutMining<T>(work: () => Promise<T>): Promise<T>
}

/** The product with several processes of each role, and dependencies that can fail on request. */
export interface World<D extends Database = Database> {
  folder: string
  /** The URL for users. */
  url: string
  database: D
  payment: LocalChain
  reward: LocalChain
  payoutAddress: Address
  mail: MailSwitch
  members: Member[]
  stop(options?: { keepFolder: boolean }): Promise<void>
}

/** Two endpoints per chain, so that one works while the other fails. */
const ENDPOINTS = 2
const PAYOUT_BALANCE = parseEther('100000000')

export async function startWorld<D extends Database>(
  { seed, processes, proxy }: WorldOptions,
  startDatabase: (folder: string) => Promise<D>,
): Promise<World<D>> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'stress-'))
  const stops: (() => Promise<unknown> | void)[] = []
  const stop: World['stop'] = async ({ keepFolder } = { keepFolder: false }) => {
    for (const end of stops.splice(0).toReversed()) await end()
    if (!keepFolder) rmSync(folder, { recursive: true, force: true })
  }
  try {
    // PostgreSQL may run as another user, which must be able to enter the folder.
    mkdirSync(folder, { recursive: true, mode: 0o711 })
    const claim = claimStack(folder)
    stops.push(() => claim.release())
    await buildPwa()
    await buildServer()
    const database = await startDatabase(folder)
    stops.push(() => database.stop())
    const payment = await openChain(PAYMENT_CHAIN_ID, stops, async (client) => {
      await placeUsdt(client, USDT_ADDRESS)
      return USDT_ADDRESS
    })
    const payoutKey = keyFor(seed, 'payouts')
    const payoutAddress = privateKeyToAccount(payoutKey).address.toLowerCase() as Address
    const deployer = privateKeyToAccount(keyFor(seed, 'deployer'))
    const reward = await openChain(REWARD_CHAIN_ID, stops, async (client) => {
      const token = await deployXcr(client, deployer)
      await client.setBalance({ address: payoutAddress, value: parseEther('1000000') })
      const hash = await client.writeContract({
        account: deployer,
        address: token,
        abi: xcrToken.abi,
        functionName: 'mint',
        args: [payoutAddress, PAYOUT_BALANCE],
      })
      await client.waitForTransactionReceipt({ hash })
      return token
    })
    const mail = await MailSwitch.start()
    stops.push(() => mail.down())

    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    claim.publish({
      demo: true,
      env: {
        PUBLIC_URL: url,
        TRUSTED_PROXIES: '1',
        ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
        DATABASE_URL: database.roles.url,
        DATABASE_OWNER_URL: database.roles.ownerUrl,
        ...(database.replicaUrl !== undefined && { DATABASE_REPLICA_URL: database.replicaUrl }),
        DATABASE_POOL_SIZE: '8',
        SMTP_URL: mail.url,
        BSC_RPC_URLS: payment.endpoints.map((endpoint) => endpoint.url).join(','),
        USDT_ADDRESS,
        DEPOSIT_ADDRESS,
        DEPOSIT_START_BLOCK: '0',
        XCR_RPC_URLS: reward.endpoints.map((endpoint) => endpoint.url).join(','),
        XCR_TOKEN_ADDRESS: reward.token,
        PAYOUT_PRIVATE_KEY: payoutKey,
        ...REGISTER_ON,
        PUSH: 'off',
        PAYOUT_REVIEW_ABOVE: '1000000000',
        RATE_LIMITS: 'purchase=100000/900 withdrawal=100000/900 wallet=100000/900',
      },
    })
    const members: Member[] = []
    stops.push(() => Promise.all(members.map((member) => member.stop())))
    const targets: number[] = []
    for (const role of ['web', 'worker', 'watcher'] as const)
      for (let number = 1; number <= processes[role]; number += 1) {
        const env: Record<string, string> = { DATA_DIR: folder }
        if (role === 'web') {
          const webPort = await freePort()
          targets.push(webPort)
          env.PORT = String(webPort)
        }
        members.push(new Member({ name: `${role}-${number}`, role, env, folder }))
      }
    const front = await (proxy === 'nginx' ? startNginx({ port, targets, folder }) : startProxy({ port, targets }))
    stops.push(() => front.stop())
    return { folder, url, database, payment, reward, payoutAddress, mail, members, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function openChain(
  chainId: number,
  stops: (() => Promise<unknown> | void)[],
  prepare: (client: DevChainClient) => Promise<Address>,
): Promise<LocalChain> {
  const chain = await startChain({ chainId, mining: 'instant' })
  stops.push(() => chain.stop())
  const client = connectDevChain(chain.url, chainId)
  const token = await prepare(client)
  await client.setAutomine(false)
  let last: Promise<unknown> = Promise.resolve()
  const withoutMining: LocalChain['withoutMining'] = (work) => {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }
  const timer = setInterval(() => void withoutMining(() => client.mine({ blocks: 1 })).catch(() => {}), BLOCK_TIME)
  stops.push(async () => {
    clearInterval(timer)
    await last
  })
  const endpoints: RpcProxy[] = []
  for (let number = 0; number < ENDPOINTS; number += 1) endpoints.push(await startRpcProxy(chain.url))
  stops.push(() => Promise.all(endpoints.map((endpoint) => endpoint.stop())))
  return { url: chain.url, client, token, endpoints, withoutMining }
}
