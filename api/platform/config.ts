import { createECDH } from 'node:crypto'
import type { z } from 'zod'
import type { Address, Hex } from 'viem'
import { bytesOfKey, prefixedKey } from './crypto/hexKeys.ts'
import { ConfigError } from './ConfigError.ts'
import { siteUrl } from './mail/siteUrl.ts'
import { type Variable, type VariableName, variables } from './variables.ts'

export type Environment = Partial<Record<string, string>>

export interface RegisterConfig {
  /** The name of the log: the site's host and `/register`. */
  origin: string
  /** The seed of the Ed25519 key that signs checkpoints. */
  signingKey: Uint8Array
  /** The seed of the Ed25519 key that signs receipts. */
  receiptKey: Uint8Array
  /** The contract that keeps the log's roots on the payment chain, and the key of its publisher. */
  anchor: { address: Address; privateKey: Hex } | undefined
}

export interface PushConfig {
  /** The public half of the key, base64url. Browsers bind their subscriptions to it. */
  publicKey: string
  /** Base64url. */
  privateKey: string
  /** How a push service reaches the operator. */
  subject: string
  /** The hosts of push services: see `isPushEndpoint`. */
  hosts: readonly string[]
}

/** The values of all variables; undefined without a value or a default. */
export type Config = {
  readonly [Name in VariableName]: (typeof variables)[Name] extends { fallback: string }
    ? z.output<(typeof variables)[Name]['schema']>
    : (typeof variables)[Name]['required'] extends 'embedded'
      ? z.output<(typeof variables)[Name]['schema']>
      : z.output<(typeof variables)[Name]['schema']> | undefined
} & {
  readonly production: boolean
  /** Whether both chains, their keys and the deposit address are embedded; they are embedded all together or not at all. */
  readonly demo: boolean
  /** Undefined if the register is off. */
  readonly register: RegisterConfig | undefined
  /** Undefined if push messages are off. */
  readonly push: PushConfig | undefined
}

/**
 * Reads the configuration.
 *
 * @param demo whether the chains in `env` are the embedded ones.
 * @throws {ConfigError} that lists all missing and invalid variables.
 */
export function readConfig(env: Environment, { demo = false } = {}): Config {
  const production = env.NODE_ENV === 'production'
  const problems: string[] = []
  const values: Record<string, unknown> = { production, demo }
  for (const [name, { schema, required, fallback }] of Object.entries(variables) as [VariableName, Variable][]) {
    const given = env[name]?.trim() || (production && required !== 'never' ? undefined : fallback)
    if (given === undefined) {
      if (required === 'embedded' || (required === 'production' && production)) problems.push(`${name} is missing`)
      continue
    }
    const result = schema.safeParse(given)
    if (result.success) values[name] = result.data
    else problems.push(`${name} ${result.error.issues.map((issue) => issue.message).join(', ')}`)
  }
  for (const name of contracts)
    if (values[name] !== undefined && values[name] === values.DEPOSIT_ADDRESS)
      problems.push(`DEPOSIT_ADDRESS must not be the contract of ${name}: payments there are lost`)
  if (values.CAPTCHA_PROVIDER === 'turnstile') {
    for (const name of ['CAPTCHA_SITE_KEY', 'CAPTCHA_SECRET_KEY'] as const) {
      if (!values[name]) problems.push(`${name} is missing: turnstile needs it`)
    }
  }
  if (values.REGISTER === 'on') {
    for (const name of ['REGISTER_SIGNING_KEY', 'RECEIPT_SIGNING_KEY'] as const) {
      if (!env[name]?.trim()) problems.push(`${name} is missing: the public register needs it, unless REGISTER=off`)
    }
    for (const [name, other] of anchorPairs) {
      if (!env[name]?.trim() && env[other]?.trim()) problems.push(`${name} is missing: ${other} needs it`)
    }
  }
  if (values.PUSH === 'on' && !env.VAPID_PRIVATE_KEY?.trim())
    problems.push('VAPID_PRIVATE_KEY is missing: push messages need it, unless PUSH=off')
  if (problems.length > 0) throw new ConfigError(problems)
  const config = values as PlainConfig
  return {
    ...config,
    register: config.REGISTER === 'off' ? undefined : readRegister(config),
    push: config.PUSH === 'off' ? undefined : readPush(config),
  }
}

/**
 * Outside production, requests from this machine are not limited and forwarded addresses are not checked, so a sale for real money must not
 * run there because one variable was forgotten. Developers and tests use chains of this machine.
 *
 * @throws {ConfigError} if a chain of another machine is configured.
 */
export function refuseRealChains({ BSC_RPC_URLS = '', XCR_RPC_URLS = '' }: Environment): void {
  const urls = `${BSC_RPC_URLS} ${XCR_RPC_URLS}`.split(/[\s,]+/).filter((url) => URL.canParse(url))
  const real = urls.map((url) => new URL(url).hostname).find((host) => !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(host))
  if (real === undefined) return
  throw new ConfigError([
    `NODE_ENV must be production: ${real} is a chain of another machine. Without NODE_ENV=production only chains of this machine may be configured, or none`,
  ])
}

type PlainConfig = Omit<Config, 'register' | 'push'>

function readPush({ VAPID_PRIVATE_KEY = '', VAPID_SUBJECT, SUPPORT_EMAIL, PUSH_HOSTS }: PlainConfig): PushConfig {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(bytesOfKey(VAPID_PRIVATE_KEY))
  return {
    publicKey: pair.getPublicKey('base64url'),
    privateKey: Buffer.from(bytesOfKey(VAPID_PRIVATE_KEY)).toString('base64url'),
    subject: VAPID_SUBJECT ?? `mailto:${SUPPORT_EMAIL}`,
    hosts: PUSH_HOSTS,
  }
}

/** Contracts that keep what they are sent. */
const contracts = ['USDT_ADDRESS', 'XCR_TOKEN_ADDRESS', 'REGISTER_ANCHOR_ADDRESS'] as const

const anchorPairs = [
  ['ANCHOR_PRIVATE_KEY', 'REGISTER_ANCHOR_ADDRESS'],
  ['REGISTER_ANCHOR_ADDRESS', 'ANCHOR_PRIVATE_KEY'],
] as const

function readRegister(config: PlainConfig): RegisterConfig {
  const { REGISTER_SIGNING_KEY = '', RECEIPT_SIGNING_KEY = '', ANCHOR_PRIVATE_KEY, REGISTER_ANCHOR_ADDRESS } = config
  return {
    origin: `${new URL(siteUrl(config)).host}/register`,
    signingKey: bytesOfKey(REGISTER_SIGNING_KEY),
    receiptKey: bytesOfKey(RECEIPT_SIGNING_KEY),
    anchor:
      ANCHOR_PRIVATE_KEY && REGISTER_ANCHOR_ADDRESS
        ? { address: REGISTER_ANCHOR_ADDRESS, privateKey: prefixedKey(ANCHOR_PRIVATE_KEY) }
        : undefined,
  }
}

/** The `expected` variables that are not set in production. */
export const listMissing = (config: Config): VariableName[] =>
  config.production
    ? Object.entries(variables).flatMap(([name, { required }]) =>
        required === 'expected' && config[name as VariableName] === undefined ? [name as VariableName] : [],
      )
    : []

/** How to make each of our own secrets. */
const secrets = {
  ENCRYPTION_KEY: 'openssl rand -hex 32',
  VAPID_PRIVATE_KEY: 'openssl rand -hex 32',
  PAYOUT_PRIVATE_KEY: 'openssl rand -hex 32',
  REGISTER_SIGNING_KEY: 'openssl rand -hex 32',
  RECEIPT_SIGNING_KEY: 'openssl rand -hex 32',
  ANCHOR_PRIVATE_KEY: 'openssl rand -hex 32',
  METRICS_TOKEN: 'openssl rand -base64 32',
} as const satisfies Partial<Record<VariableName, string>>

/** Of the 32 bytes of a random key about 30 are different, of the 16 characters of a random token about 10 or more. */
const MIN_DIFFERENT = { bytes: 20, characters: 6 }

const isTyped = (name: string, value: string): boolean =>
  name === 'METRICS_TOKEN'
    ? new Set(value).size < MIN_DIFFERENT.characters
    : new Set(bytesOfKey(value)).size < MIN_DIFFERENT.bytes

/** The secrets of production that somebody has typed or used twice, each with what is wrong and how to make one. Shows no secret. */
export function listWeakSecrets(config: Config): string[] {
  if (!config.production) return []
  const firstWith = new Map<string, string>()
  return Object.entries(secrets).flatMap(([name, command]) => {
    const value = config[name as keyof typeof secrets]
    if (value === undefined) return []
    const plain = value.replace(/^0x/, '').toLowerCase()
    const other = firstWith.get(plain)
    if (other === undefined) firstWith.set(plain, name)
    if (other === undefined && !isTyped(name, value)) return []
    return `${name} ${other ? `is the same as ${other}` : 'is not random'}: ${command} prints a good one`
  })
}

/** The direct connection for leadership, LISTEN and migrations, which do not work through a transaction pooler. */
export const directUrlOf = (config: Config): string => config.DATABASE_DIRECT_URL ?? config.DATABASE_URL
