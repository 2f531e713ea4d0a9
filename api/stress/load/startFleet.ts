import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type Chain, startChain } from '#api/dev/startChain.ts'
import { connectDevChain, REWARD_CHAIN_ID } from '#api/dev/connectDevChain.ts'
import { freePort } from '#api/dev/freePort.ts'
import { startMailCatcher } from '#api/dev/mailCatcher.ts'
import { deployXcr } from '#api/dev/tokens.ts'
import { type Parts, startParts } from '../bench/startParts.ts'
import { Member } from '../chaos/Member.ts'
import { type Nginx, startNginx } from '#api/testing/startNginx.ts'
import { startPgBouncer } from '#api/testing/startPgBouncer.ts'

export interface FleetOptions {
  web: number
  /** Whether the product uses the database through a transaction pooler. */
  pgbouncer: boolean
  /** Limits concurrent connections of nginx. */
  maxConnections: number
}

/** The product as in production: several processes behind nginx, with their own dependencies. */
export interface Fleet {
  parts: Parts
  port: number
  nginx: Nginx
  members: Member[]
  webs: { member: Member; port: number }[]
  /** The complete configuration. */
  env: Record<string, string>
  /** Limits the database connections of all processes together. */
  maxConnections: number
  stop(): Promise<void>
}

/** Connections of a process outside its pools: for events, leadership and migrations. */
const EXTRA_CONNECTIONS = 4
const POOLS = { DATABASE_POOL_SIZE: '20', LIMIT_POOL_SIZE: '4', JOB_POOL_SIZE: '6' }
/** Fewer than the pools of a single process. */
const SERVER_CONNECTIONS = 12

export async function startFleet({ web, pgbouncer, maxConnections }: FleetOptions): Promise<Fleet> {
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const end of stops.splice(0).toReversed()) await end()
  }
  try {
    const parts = await startParts()
    stops.push(() => parts.stop())
    const reward = await startRewardChain()
    stops.push(() => reward.stop())
    const mail = await startMailCatcher()
    stops.push(() => mail.stop())
    const pooler = pgbouncer
      ? await startPgBouncer(parts.roles.url, { folder: parts.folder, serverConnections: SERVER_CONNECTIONS })
      : undefined
    if (pooler) stops.push(() => pooler.stop())

    const port = await freePort()
    const env: Record<string, string> = {
      ...parts.webEnv(port),
      ...POOLS,
      TRUSTED_PROXIES: '1',
      SMTP_URL: mail.smtpUrl,
      XCR_RPC_URLS: reward.url,
      XCR_TOKEN_ADDRESS: reward.token,
      LOG_LEVEL: 'info',
      ...(pooler && { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: parts.roles.url }),
    }
    const webs: Fleet['webs'] = []
    for (let number = 1; number <= web; number += 1) {
      const webPort = await freePort()
      const own = { ...env, PORT: String(webPort) }
      webs.push({ port: webPort, member: new Member({ name: `web-${number}`, role: 'web', env: own, folder: parts.folder }) })
    }
    const others = (['worker', 'watcher'] as const).map((role) => new Member({ name: role, role, env, folder: parts.folder }))
    const members = [...webs.map(({ member }) => member), ...others]
    stops.push(() => Promise.all(members.map((member) => member.stop())))
    const nginx = await startNginx({ port, targets: webs.map((each) => each.port), folder: parts.folder, maxConnections })
    stops.push(() => nginx.stop())
    const pools = Object.values(POOLS).reduce((sum, size) => sum + Number(size), EXTRA_CONNECTIONS)
    return { parts, port, nginx, members, webs, env, maxConnections: members.length * pools, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startRewardChain(): Promise<Chain & { token: string }> {
  const chain = await startChain({ chainId: REWARD_CHAIN_ID, mining: 'instant' })
  return {
    ...chain,
    token: await deployXcr(connectDevChain(chain.url, REWARD_CHAIN_ID), privateKeyToAccount(generatePrivateKey())),
  }
}
