import { MikroORM } from '@mikro-orm/postgresql'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Address, type Hex, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test } from 'vitest'
import { type Environment, readConfig } from '#api/platform/config.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { prepareDatabase } from '#api/entities/prepareDatabase.ts'
import { sql } from '#api/platform/db/sql.ts'
import { ANCHOR_CODE, anchorCodeHash } from '#api/integrity/register/verify.mjs'
import { connectDevChain, PAYMENT_CHAIN_ID, REWARD_CHAIN_ID } from './connectDevChain.ts'
import { xcrToken } from './contracts/generated/xcrToken.ts'
import { loadEmbeddedKeys } from './loadEmbeddedKeys.ts'
import { findRunningStack } from './runningStack.ts'
import { type EmbeddedStack, startEmbeddedStack } from './startEmbeddedStack.ts'

const freePorts: Environment = {
  EMBEDDED_POSTGRES_PORT: '0',
  EMBEDDED_BSC_PORT: '0',
  EMBEDDED_XCR_PORT: '0',
  EMBEDDED_SMTP_PORT: '0',
  EMBEDDED_MAILBOX_PORT: '0',
}

const anchorVariables = ['REGISTER_ANCHOR_ADDRESS', 'ANCHOR_PRIVATE_KEY'] as const
const registerKeys = ['REGISTER_SIGNING_KEY', 'RECEIPT_SIGNING_KEY'] as const

/** The hash of the anchor contract's code without its publisher, the wallet of the configured key. */
async function anchorCode({ env }: EmbeddedStack): Promise<string> {
  const client = connectDevChain(env.BSC_RPC_URLS!, PAYMENT_CHAIN_ID)
  const publisher = privateKeyToAccount(env.ANCHOR_PRIVATE_KEY as Hex).address
  expect(await client.getBalance({ address: publisher })).toBeGreaterThan(parseEther('1'))
  const code = await client.getCode({ address: env.REGISTER_ANCHOR_ADDRESS as Address })
  return anchorCodeHash(Buffer.from(code!.slice(2), 'hex'), Buffer.from(publisher.slice(2), 'hex'))
}

function makeDataDir(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'stack-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return path.join(folder, 'data')
}

async function payoutBalances({ env }: EmbeddedStack): Promise<{ xcr: bigint; xp: bigint }> {
  const client = connectDevChain(env.XCR_RPC_URLS ?? '', REWARD_CHAIN_ID)
  const { address } = privateKeyToAccount(env.PAYOUT_PRIVATE_KEY as Hex)
  const token = env.XCR_TOKEN_ADDRESS as Address
  return {
    xcr: await client.readContract({ address: token, abi: xcrToken.abi, functionName: 'balanceOf', args: [address] }),
    xp: await client.getBalance({ address }),
  }
}

test('without configuration it provides every variable, with the same values at the next start', async () => {
  const dataDir = makeDataDir()
  const reported: string[] = []
  const first = await startEmbeddedStack(freePorts, { dataDir, onStarted: (part) => reported.push(part) })
  expect(reported.toSorted()).toEqual(['chains', 'database', 'mailbox'])
  const config = readConfig({ ...freePorts, ...first.env }, { demo: first.demo })
  expect(config).toMatchObject({ demo: true, production: false, register: { origin: 'localhost:3000/register' } })
  expect(config.XCR_WALLET_RPC_URLS).toHaveLength(2)
  expect(await anchorCode(first)).toBe(ANCHOR_CODE)
  const balances = await payoutBalances(first)
  expect(balances).toEqual({ xcr: parseEther('10000000'), xp: parseEther('1000000') })
  await first.stop()

  const second = await startEmbeddedStack(freePorts, { dataDir })
  onTestFinished(second.stop)
  const kept = [
    'ENCRYPTION_KEY',
    'DEPOSIT_ADDRESS',
    'PAYOUT_PRIVATE_KEY',
    'XCR_TOKEN_ADDRESS',
    'VAPID_PRIVATE_KEY',
    ...registerKeys,
    ...anchorVariables,
  ]
  for (const name of kept) expect(second.env[name], name).toBe(first.env[name])
  expect(await payoutBalances(second)).toEqual(balances)
  expect(await anchorCode(second)).toBe(ANCHOR_CODE)
})

test('keys that an older data folder lacks are generated once, and the others stay', () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'keys-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const { registerSigningKey, receiptSigningKey, anchorPrivateKey, vapidPrivateKey, ...older } = loadEmbeddedKeys(dataDir)
  writeFileSync(path.join(dataDir, 'keys.json'), JSON.stringify(older))
  const completed = loadEmbeddedKeys(dataDir)
  expect(completed).toMatchObject(older)
  const added = [completed.registerSigningKey, completed.receiptSigningKey, completed.anchorPrivateKey, completed.vapidPrivateKey]
  expect(new Set([registerSigningKey, receiptSigningKey, anchorPrivateKey, vapidPrivateKey, ...added]).size).toBe(8)
  expect(loadEmbeddedKeys(dataDir)).toEqual(completed)
})

test('other commands find it while it runs, and other users cannot read its keys', async () => {
  const dataDir = makeDataDir()
  const stack = await startEmbeddedStack(freePorts, { dataDir })
  expect(findRunningStack(dataDir)).toEqual({ pid: process.pid, env: stack.env, demo: true })
  for (const file of ['keys.json', 'stack.json']) expect(statSync(path.join(dataDir, file)).mode & 0o077, file).toBe(0)
  await expect(startEmbeddedStack(freePorts, { dataDir })).rejects.toThrow(`as process ${process.pid}, on the data in ${dataDir}`)
  await stack.stop()
  expect(findRunningStack(dataDir)).toBeUndefined()
})

test('every embedded part listens only on 127.0.0.1', async () => {
  const stack = await startEmbeddedStack(freePorts, { dataDir: makeDataDir() })
  onTestFinished(stack.stop)

  const ports = stack.parts.map(({ address }) => Number(new URL(address).port))
  expect(new Set(ports).size).toBe(5)
  expect(listeners().filter(({ port }) => ports.includes(port))).toEqual(
    ports.toSorted((a, b) => a - b).map((port) => ({ port, address: LOOPBACK })),
  )
})

const LOOPBACK = '0100007F'

/** All listening ports of this machine with their addresses in the kernel's hex format, sorted by port. */
function listeners(): { port: number; address: string }[] {
  const LISTEN = '0A'
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap((file) => readFileSync(file, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === LISTEN)
    .map(([, local = '']) => local.split(':') as [string, string])
    .map(([address, port]) => ({ port: Number.parseInt(port, 16), address }))
    .toSorted((a, b) => a.port - b.port)
}

test('the embedded database has separate roles for the owner of the tables and the application', async () => {
  const { env, stop } = await startEmbeddedStack(freePorts, { dataDir: makeDataDir() })
  onTestFinished(stop)
  const orm = new MikroORM(ormOptions({ url: env.DATABASE_URL!, poolSize: 2 }))
  onTestFinished(() => orm.close(true))
  // With the check of production, which refuses a role that owns the tables.
  await prepareDatabase(orm, {
    config: { ...readConfig({ ...freePorts, ...env }, { demo: true }), production: true },
    directUrl: env.DATABASE_URL!,
    jobNames: [],
  })
  await expect(sql(orm.em.fork(), 'alter table ledger_entries disable trigger all')).rejects.toThrow('must be owner')
})

test('configured parts are not embedded', async () => {
  const given: Environment = {
    ...freePorts,
    DATABASE_URL: 'postgres://db.example/xcr',
    SMTP_URL: 'smtp://mail.example',
    ENCRYPTION_KEY: 'ab'.repeat(32),
    BSC_RPC_URLS: 'https://bsc.example',
    DEPOSIT_ADDRESS: `0x${'a'.repeat(40)}`,
    XCR_RPC_URLS: 'https://xp.example',
    XCR_TOKEN_ADDRESS: `0x${'b'.repeat(40)}`,
    PAYOUT_PRIVATE_KEY: 'cd'.repeat(32),
    REGISTER_SIGNING_KEY: '12'.repeat(32),
    RECEIPT_SIGNING_KEY: '34'.repeat(32),
  }
  const stack = await startEmbeddedStack(given, { dataDir: makeDataDir() })
  onTestFinished(stack.stop)
  expect(stack).toMatchObject({ env: {}, parts: [], demo: false })
})

test('when one part cannot start, the others are stopped', async () => {
  const dataDir = makeDataDir()
  const other = await startEmbeddedStack(freePorts, { dataDir: makeDataDir() })
  onTestFinished(other.stop)
  const taken = new URL(other.env.XCR_RPC_URLS ?? '').port
  await expect(startEmbeddedStack({ ...freePorts, EMBEDDED_XCR_PORT: taken }, { dataDir })).rejects.toThrow(
    `Port ${taken} for the embedded reward chain is in use by another program.`,
  )
  // The folder and its parts are free again.
  const again = await startEmbeddedStack(freePorts, { dataDir })
  await again.stop()
})
