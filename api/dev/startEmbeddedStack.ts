import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Address } from 'viem'
import type { Environment } from '#api/platform/config.ts'
import { ConfigError } from '#api/platform/ConfigError.ts'
import { type VariableName, variables } from '#api/platform/variables.ts'
import { type EmbeddedKeys, loadEmbeddedKeys } from './loadEmbeddedKeys.ts'
import { startMailCatcher } from './mailCatcher.ts'
import { claimStack } from './runningStack.ts'
import { startEmbeddedChains } from './startEmbeddedChains.ts'
import { openRoles } from './openRoles.ts'
import { startPostgres } from './startPostgres.ts'

export interface EmbeddedPart {
  name: string
  address: string
  note: string
}

export interface EmbeddedStack {
  /** The variables that were not configured. */
  env: Environment
  /** The started parts, for printing. */
  parts: EmbeddedPart[]
  /** Whether the chains are embedded. */
  demo: boolean
  stop: () => Promise<void>
}

/** What every part is started with. */
interface PartOptions {
  given: Environment
  dataDir: string
  keys: EmbeddedKeys
}

interface Started {
  env: Environment
  parts: EmbeddedPart[]
  stop: () => Promise<void>
}

interface StackOptions {
  dataDir: string
  /** Called with the name of each part when it is ready. */
  onStarted?: (name: string) => void
}

/** Embedded all together or not at all: money must never move between a real chain and an embedded one. */
const CHAIN_VARIABLES = [
  'BSC_RPC_URLS',
  'DEPOSIT_ADDRESS',
  'XCR_RPC_URLS',
  'XCR_TOKEN_ADDRESS',
  'PAYOUT_PRIVATE_KEY',
] as const satisfies VariableName[]

/**
 * Starts every part that the environment does not configure, concurrently. Development only.
 *
 * @throws {ConfigError} if the chains are partly configured, or if this machine cannot run the missing parts.
 * @throws {StackRunningError} if another process uses the data folder.
 * @throws {PortBusyError}
 */
export async function startEmbeddedStack(given: Environment, { dataDir, onStarted }: StackOptions): Promise<EmbeddedStack> {
  const isGiven = (name: VariableName) => Boolean(given[name]?.trim())
  const demo = needsChains(isGiven)
  const needsDatabase = !isGiven('DATABASE_URL')
  if (demo || needsDatabase) checkPlatform({ demo, needsDatabase })

  // Other users can enter but not list the folder, because PostgreSQL may have to run as another user.
  mkdirSync(dataDir, { recursive: true, mode: 0o711 })
  const claim = claimStack(dataDir)
  const keys = loadEmbeddedKeys(dataDir)
  const options = { given, dataDir, keys }
  const starting: Promise<Started>[] = []
  const start = (name: string, outcome: Promise<Started>) =>
    starting.push(
      outcome.then((started) => {
        onStarted?.(name)
        return started
      }),
    )
  if (needsDatabase) start('database', startDatabase(options))
  if (demo) start('chains', startChains(options))
  if (!isGiven('SMTP_URL')) start('mailbox', startMail(options))

  const outcomes = await Promise.allSettled(starting)
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const stop = async () => {
    await Promise.allSettled(started.map((part) => part.stop()))
    claim.release()
  }
  const failure = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failure) {
    await stop()
    throw failure.reason
  }

  const env = Object.assign({}, ...started.map((part) => part.env)) as Environment
  if (!isGiven('ENCRYPTION_KEY')) env.ENCRYPTION_KEY = keys.encryptionKey
  if (!isGiven('REGISTER_SIGNING_KEY')) env.REGISTER_SIGNING_KEY = keys.registerSigningKey
  if (!isGiven('RECEIPT_SIGNING_KEY')) env.RECEIPT_SIGNING_KEY = keys.receiptSigningKey
  if (!isGiven('VAPID_PRIVATE_KEY')) env.VAPID_PRIVATE_KEY = keys.vapidPrivateKey
  claim.publish({ env, demo })
  return { env, parts: started.flatMap((part) => part.parts), demo, stop }
}

async function startDatabase({ given, dataDir }: PartOptions): Promise<Started> {
  const postgres = await startPostgres({
    dataDir: path.join(dataDir, 'postgres'),
    portVariable: 'EMBEDDED_POSTGRES_PORT',
    ...portOf(given, 'EMBEDDED_POSTGRES_PORT', 'port'),
  })
  const { url, ownerUrl } = await openRoles(postgres.url).catch(async (error: unknown) => {
    await postgres.stop()
    throw error
  })
  return {
    env: { DATABASE_URL: url, DATABASE_OWNER_URL: ownerUrl },
    parts: [{ name: 'database', address: url, note: 'PostgreSQL' }],
    stop: postgres.stop,
  }
}

async function startChains({ given, dataDir, keys }: PartOptions): Promise<Started> {
  const { env, payment, reward, stop } = await startEmbeddedChains({
    dataDir,
    keys,
    usdtAddress: (given.USDT_ADDRESS?.trim() || variables.USDT_ADDRESS.fallback) as Address,
    ...portOf(given, 'EMBEDDED_BSC_PORT', 'paymentPort'),
    ...portOf(given, 'EMBEDDED_XCR_PORT', 'rewardPort'),
  })
  return {
    env,
    parts: [
      { name: 'payment chain', address: payment.url, note: 'chain 56, with USDT' },
      { name: 'reward chain', address: reward.url, note: 'chain 20250217, with XCR and a funded payout wallet' },
    ],
    stop,
  }
}

async function startMail({ given, dataDir }: PartOptions): Promise<Started> {
  const mail = await startMailCatcher({
    file: path.join(dataDir, 'mails.jsonl'),
    ...portOf(given, 'EMBEDDED_SMTP_PORT', 'smtpPort'),
    ...portOf(given, 'EMBEDDED_MAILBOX_PORT', 'mailboxPort'),
  })
  return {
    env: { SMTP_URL: mail.smtpUrl },
    parts: [
      { name: 'mail', address: mail.smtpUrl, note: 'captures every mail, delivers none' },
      { name: 'mailbox', address: mail.mailboxUrl, note: 'shows every mail in the browser' },
    ],
    stop: mail.stop,
  }
}

/** 0 means any free port. */
function portOf<Option extends string>(
  given: Environment,
  name: VariableName & `EMBEDDED_${string}`,
  option: Option,
): { [Key in Option]?: number } {
  const result = variables[name].schema.safeParse(given[name]?.trim() || variables[name].fallback)
  if (!result.success) throw new ConfigError([`${name} must be a whole number`])
  return (result.data === 0 ? {} : { [option]: result.data }) as { [Key in Option]?: number }
}

function needsChains(isGiven: (name: VariableName) => boolean): boolean {
  const missing = CHAIN_VARIABLES.filter((name) => !isGiven(name))
  if (missing.length > 0 && missing.length < CHAIN_VARIABLES.length)
    throw new ConfigError(
      missing.map((name) => `${name} is missing: chains, keys and deposit address are configured all together, or not at all`),
    )
  return missing.length > 0
}

function checkPlatform({ demo, needsDatabase }: { demo: boolean; needsDatabase: boolean }): void {
  if (process.platform === 'linux' && process.arch === 'x64') return
  const here = `its embedded replacement runs only on Linux x64, and this is ${process.platform} ${process.arch}`
  const names: VariableName[] = [...(needsDatabase ? (['DATABASE_URL'] as const) : []), ...(demo ? CHAIN_VARIABLES : [])]
  throw new ConfigError(names.map((name) => `${name} is missing: ${here}`))
}
