import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { Address } from 'viem'
import { connectDevChain, PAYMENT_CHAIN_ID } from '#api/dev/connectDevChain.ts'
import { freePort } from '#api/dev/freePort.ts'
import { type Chain, startChain } from '#api/dev/startChain.ts'
import { openRoles, type RoleUrls } from '#api/dev/openRoles.ts'
import { type Postgres, startPostgres } from '#api/dev/startPostgres.ts'
import { placeUsdt } from '#api/dev/tokens.ts'
import { type Program, startProgram } from './startProgram.ts'

export const USDT_ADDRESS: Address = '0x55d398326f99059ff775485246999027b3197955'
export const DEPOSIT_ADDRESS: Address = '0x00000000000000000000000000000000000de705'

export const mainScript = path.resolve(import.meta.dirname, '../../main.ts')

/** Real dependencies of the product: a PostgreSQL that flushes each commit to disk, and a local chain. */
export interface Parts {
  folder: string
  /** Its URL connects as the superuser. */
  postgres: Postgres
  roles: RoleUrls
  chain: Chain
  /** A superuser's connection for preparation and checks. */
  database: pg.Client
  /** Starts the web role as in production. */
  startWeb(options?: { nodeFlags?: readonly string[] }): Promise<Program & { port: number }>
  /** The complete configuration of `startWeb`. */
  webEnv(port: number): Record<string, string>
  stop(): Promise<void>
}

export async function startParts(): Promise<Parts> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-'))
  const stops: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const end of stops.splice(0).toReversed()) await end()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const postgres = await startPostgres({ dataDir: path.join(folder, 'postgres') })
    stops.push(() => postgres.stop())
    const roles = await openRoles(postgres.url)
    const chain = await startChain({ chainId: PAYMENT_CHAIN_ID, mining: 'instant' })
    stops.push(() => chain.stop())
    await placeUsdt(connectDevChain(chain.url, PAYMENT_CHAIN_ID), USDT_ADDRESS)
    const database = new pg.Client({ connectionString: postgres.url })
    await database.connect()
    stops.push(() => database.end())

    const webEnv: Parts['webEnv'] = (port) => ({
      NODE_ENV: 'production',
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      SUPPORT_EMAIL: 'support@example.com',
      TRUSTED_PROXIES: '0',
      ENCRYPTION_KEY: '11'.repeat(32),
      DATABASE_URL: roles.url,
      DATABASE_OWNER_URL: roles.ownerUrl,
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'bench@example.com',
      BSC_RPC_URLS: chain.url,
      USDT_ADDRESS,
      DEPOSIT_ADDRESS,
      DEPOSIT_START_BLOCK: '0',
      XCR_RPC_URLS: chain.url,
      XCR_WALLET_RPC_URLS: `${chain.url},${chain.url.replace('127.0.0.1', 'localhost')}`,
      XCR_EXPLORER_URL: chain.url,
      XCR_TOKEN_ADDRESS: '0x0000000000000000000000000000000000000c12',
      PAYOUT_PRIVATE_KEY: '22'.repeat(32),
      REGISTER: 'off',
      PUSH: 'off',
      TOTAL_NODE_SUPPLY: '20000',
    })
    return {
      folder,
      postgres,
      roles,
      chain,
      database,
      webEnv,
      async startWeb({ nodeFlags = [] } = {}) {
        const port = await freePort()
        return { port, ...(await startProgram(mainScript, ['web'], { env: webEnv(port), nodeFlags })) }
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
