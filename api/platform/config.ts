import { createECDH } from 'node:crypto'
import { isIP } from 'node:net'
import { z } from 'zod'
import type { Address, Hex } from 'viem'
import { hasWrongChecksum, isZeroAddress } from '#shared/typedAddress.ts'
import { address } from '#shared/wire/address.ts'
import { parseAmount } from '#shared/amount.ts'
import { DEFAULT_NODE_SUPPLY } from '#shared/sale.ts'
import { isDatabaseUrl } from './db/databaseUrl.ts'
import { parseRateLimits } from './http/limitRate.ts'
import { siteUrl } from './mail/siteUrl.ts'

/**
 * When a variable is required.
 *
 * - `production`: development has a default, production has none.
 * - `embedded`: like `production`, and development runs the dependency itself (database, chains, mail).
 * - `expected`: production runs without it and warns at each start, because visitors miss it.
 * - `never`: there is a sensible default, or the feature is optional.
 */
type Required = 'production' | 'embedded' | 'expected' | 'never'

interface Variable {
  schema: z.ZodType
  required: Required
  /** The default, written as in the environment. In production it only applies to variables that are not required. */
  fallback?: string
}

const variable = <const V extends Variable>(description: V): V => description

const wholeNumber = z.string().regex(/^\d+$/, 'must be a whole number').transform(Number)
/** Shown as a link, so schemes such as `javascript:` are refused. */
const webAddress = z.url({ protocol: /^https?$/ })
/** Links, the check of a request's origin and passkeys go by its origin alone. */
const siteAddress = z
  .string()
  .transform((text) => text.replace(/\/+$/, ''))
  .refine(
    (text) => webAddress.safeParse(text).success && /^https?:\/\/[^/?#@]+$/i.test(text),
    'must be http:// or https:// and a host, without a path, such as https://nodes.example.com',
  )
/** JSON-RPC is sent over HTTP. */
const listOfUrls = z
  .string()
  .transform((text) =>
    text
      .split(/[\s,]+/)
      .map((url) => url.trim())
      .filter(Boolean),
  )
  .pipe(z.array(z.url({ protocol: /^https?$/, error: 'must be addresses with http:// or https://' })).min(1))
/** May name several hosts. */
const databaseUrl = z
  .string()
  .refine(isDatabaseUrl, 'must be a URL of PostgreSQL, such as postgres://user:password@host:5432/xcr')
/** Wallets get two RPC URLs of the reward chain. */
const twoUrls = listOfUrls.refine((urls) => urls.length >= 2, 'needs two addresses')
const tokenAmount = z.string().transform((text, context) => {
  const value = parseAmount(text)
  if (value === undefined) context.addIssue('must be an amount of whole tokens, such as 100000')
  return value ?? z.NEVER
})
const gasPrice = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,9})?$/, 'must be a number of billionths of a coin, such as 50')
  .transform((text) => {
    const [whole = '0', part = ''] = text.split('.')
    return BigInt(whole + part.padEnd(9, '0'))
  })
const isHostPattern = (text: string): boolean => /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(text) && isIP(text) === 0
/** Host names, with `*.` before one for its subdomains. An IP address is none. */
const listOfHosts = z
  .string()
  .transform((text) =>
    text
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean),
  )
  .pipe(z.array(z.string().refine(isHostPattern, 'must be host names')).min(1))
/** Everybody pays to these addresses, or trusts the contract there, so that a typing error would cost everything. */
const accountAddress = z
  .string()
  .refine((text) => !hasWrongChecksum(text), 'has a typing error: its checksum is wrong')
  .pipe(address)
  .refine((hex) => !isZeroAddress(hex), 'must not be the zero address')
const hexKey = (bytes: number) =>
  z.string().regex(new RegExp(`^(0x)?[0-9a-fA-F]{${bytes * 2}}$`), `must be ${bytes} bytes in hex`)

/** Not zero, and below the order of the curve. */
const privateKey = (curve: 'secp256k1' | 'prime256v1') =>
  hexKey(32).pipe(z.string().refine((hex) => isPrivateKey(hex, curve), 'is not a private key'))
function isPrivateKey(hex: string, curve: string): boolean {
  try {
    createECDH(curve).setPrivateKey(bytesOf(hex))
    return true
  } catch {
    return false
  }
}
/** Parsed again by the rate limiter. */
const rateLimitOverrides = z.string().superRefine((text, context) => {
  try {
    parseRateLimits(text)
  } catch (error) {
    context.addIssue((error as Error).message)
  }
})

/** Every variable of the product. `.env.example` explains each; a test compares the two. */
export const variables = {
  // The site
  PORT: variable({ schema: wholeNumber, required: 'never', fallback: '3000' }),
  LISTEN_ADDRESS: variable({ schema: z.union([z.ipv4(), z.ipv6()]), required: 'never' }),
  PUBLIC_URL: variable({ schema: siteAddress, required: 'production' }),
  BRAND_NAME: variable({ schema: z.string().min(1), required: 'never', fallback: 'XCR Nodes' }),
  SUPPORT_EMAIL: variable({ schema: z.email(), required: 'production', fallback: 'support@example.com' }),
  SELLER_NAME: variable({ schema: z.string().min(1), required: 'expected' }),
  SELLER_ADDRESS: variable({ schema: z.string().min(1), required: 'expected' }),
  TERMS_URL: variable({ schema: webAddress, required: 'expected' }),
  PRIVACY_URL: variable({ schema: webAddress, required: 'expected' }),
  REFUNDS_URL: variable({ schema: webAddress, required: 'expected' }),
  RISK_URL: variable({ schema: webAddress, required: 'expected' }),
  TRUSTED_PROXIES: variable({ schema: wholeNumber, required: 'production', fallback: '0' }),
  ADMIN_MAX_IPS: variable({ schema: wholeNumber.pipe(z.int().min(2).max(50)), required: 'never', fallback: '2' }),

  // Secrets
  ENCRYPTION_KEY: variable({ schema: hexKey(32), required: 'embedded' }),

  // Database
  DATABASE_URL: variable({ schema: databaseUrl, required: 'embedded' }),
  DATABASE_DIRECT_URL: variable({ schema: databaseUrl, required: 'never' }),
  DATABASE_OWNER_URL: variable({ schema: databaseUrl, required: 'never' }),
  DATABASE_REPLICA_URL: variable({ schema: databaseUrl, required: 'never' }),
  DATABASE_ANSWER_TIMEOUT: variable({ schema: wholeNumber.pipe(z.int().positive()), required: 'never', fallback: '15' }),
  DATABASE_POOL_SIZE: variable({ schema: wholeNumber.pipe(z.int().positive()), required: 'never', fallback: '20' }),
  JOB_POOL_SIZE: variable({ schema: wholeNumber.pipe(z.int().min(2)), required: 'never', fallback: '6' }),
  LIMIT_POOL_SIZE: variable({ schema: wholeNumber.pipe(z.int().positive()), required: 'never', fallback: '4' }),

  // Mail
  SMTP_URL: variable({
    schema: z.url({ protocol: /^smtps?$/, error: 'must begin with smtp:// or smtps://' }),
    required: 'embedded',
  }),
  MAIL_FROM: variable({ schema: z.string().min(3), required: 'production', fallback: 'XCR Nodes <no-reply@example.com>' }),

  // Push messages. The key is required unless they are off.
  PUSH: variable({ schema: z.enum(['on', 'off']), required: 'never', fallback: 'on' }),
  VAPID_PRIVATE_KEY: variable({ schema: privateKey('prime256v1'), required: 'never' }),
  VAPID_SUBJECT: variable({ schema: z.url({ protocol: /^(https|mailto)$/ }), required: 'never' }),
  PUSH_HOSTS: variable({
    schema: listOfHosts,
    required: 'never',
    fallback: 'fcm.googleapis.com,updates.push.services.mozilla.com,*.notify.windows.com,*.push.apple.com',
  }),

  // Payment chain
  BSC_RPC_URLS: variable({ schema: listOfUrls, required: 'embedded' }),
  USDT_ADDRESS: variable({ schema: accountAddress, required: 'never', fallback: '0x55d398326f99059fF775485246999027B3197955' }),
  DEPOSIT_ADDRESS: variable({ schema: accountAddress, required: 'embedded' }),
  DEPOSIT_START_BLOCK: variable({ schema: z.string().regex(/^\d+$/).transform(BigInt), required: 'production', fallback: '0' }),
  PAYMENT_CONFIRMATIONS: variable({ schema: wholeNumber.pipe(z.int().positive()), required: 'never', fallback: '15' }),
  BSC_EXPLORER_URL: variable({ schema: z.url(), required: 'never', fallback: 'https://bscscan.com' }),
  BSC_WALLET_RPC_URL: variable({ schema: z.url(), required: 'never', fallback: 'https://bsc-dataseed.bnbchain.org' }),

  // Reward chain
  XCR_RPC_URLS: variable({ schema: listOfUrls, required: 'embedded' }),
  XCR_TOKEN_ADDRESS: variable({ schema: accountAddress, required: 'embedded' }),
  PAYOUT_PRIVATE_KEY: variable({ schema: privateKey('secp256k1'), required: 'embedded' }),
  XCR_NETWORK_NAME: variable({ schema: z.string().min(1), required: 'never', fallback: 'XP Mainnet' }),
  /** The URLs that wallets get, because XCR_RPC_URLS may contain API keys. */
  XCR_WALLET_RPC_URLS: variable({ schema: twoUrls, required: 'production' }),
  XCR_EXPLORER_URL: variable({ schema: z.url(), required: 'production', fallback: 'http://127.0.0.1:8546' }),

  XCR_CONFIRMATIONS: variable({ schema: wholeNumber.pipe(z.int().positive()), required: 'never', fallback: '12' }),
  PAYOUTS_IN_FLIGHT: variable({ schema: wholeNumber.pipe(z.int().positive()), required: 'never', fallback: '64' }),
  PAYOUT_REVIEW_ABOVE: variable({ schema: tokenAmount, required: 'never', fallback: '100000' }),
  /** The XCR that payouts may sign within an hour and a day; no cap unless set. */
  PAYOUT_CAP_HOUR: variable({ schema: tokenAmount, required: 'never' }),
  PAYOUT_CAP_DAY: variable({ schema: tokenAmount, required: 'never' }),
  /** In wei per unit of gas; configured in gwei. */
  PAYOUT_MAX_GAS_PRICE: variable({ schema: gasPrice, required: 'never', fallback: '1000' }),
  ALERT_EMAIL: variable({ schema: z.email(), required: 'never' }),

  // Access
  CAPTCHA_PROVIDER: variable({ schema: z.enum(['altcha', 'turnstile']), required: 'never', fallback: 'altcha' }),
  CAPTCHA_SITE_KEY: variable({ schema: z.string(), required: 'never' }),
  CAPTCHA_SECRET_KEY: variable({ schema: z.string(), required: 'never' }),
  RATE_LIMITS: variable({ schema: rateLimitOverrides, required: 'never' }),
  WALLETCONNECT_PROJECT_ID: variable({ schema: z.string(), required: 'never' }),

  // The sale
  TOTAL_NODE_SUPPLY: variable({
    schema: wholeNumber.pipe(z.int().positive()),
    required: 'never',
    fallback: String(DEFAULT_NODE_SUPPLY),
  }),

  // The public register. Its two keys are required unless it is off; an anchor needs both of its variables.
  REGISTER: variable({ schema: z.enum(['on', 'off']), required: 'never', fallback: 'on' }),
  REGISTER_SIGNING_KEY: variable({ schema: hexKey(32), required: 'never' }),
  RECEIPT_SIGNING_KEY: variable({ schema: hexKey(32), required: 'never' }),
  ANCHOR_PRIVATE_KEY: variable({ schema: privateKey('secp256k1'), required: 'never' }),
  REGISTER_ANCHOR_ADDRESS: variable({ schema: accountAddress, required: 'never' }),

  // Operations
  LOG_LEVEL: variable({ schema: z.enum(['debug', 'info', 'warn', 'error']), required: 'never', fallback: 'info' }),
  HEALTH_PORT: variable({ schema: wholeNumber, required: 'never' }),
  METRICS_TOKEN: variable({ schema: z.string().min(16, 'must have 16 letters or more'), required: 'never' }),

  // The embedded parts (development only)
  DATA_DIR: variable({ schema: z.string().min(1), required: 'never', fallback: '.data' }),
  EMBEDDED_POSTGRES_PORT: variable({ schema: wholeNumber, required: 'never', fallback: '5439' }),
  EMBEDDED_BSC_PORT: variable({ schema: wholeNumber, required: 'never', fallback: '8545' }),
  EMBEDDED_XCR_PORT: variable({ schema: wholeNumber, required: 'never', fallback: '8546' }),
  EMBEDDED_SMTP_PORT: variable({ schema: wholeNumber, required: 'never', fallback: '1025' }),
  EMBEDDED_MAILBOX_PORT: variable({ schema: wholeNumber, required: 'never', fallback: '1080' }),
} as const satisfies Record<string, Variable>

export type VariableName = keyof typeof variables
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

/** The configuration is invalid; `problems` has one line per variable. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The configuration is not complete:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
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
  pair.setPrivateKey(bytesOf(VAPID_PRIVATE_KEY))
  return {
    publicKey: pair.getPublicKey('base64url'),
    privateKey: Buffer.from(bytesOf(VAPID_PRIVATE_KEY)).toString('base64url'),
    subject: VAPID_SUBJECT ?? `mailto:${SUPPORT_EMAIL}`,
    hosts: PUSH_HOSTS,
  }
}

const anchorPairs = [
  ['ANCHOR_PRIVATE_KEY', 'REGISTER_ANCHOR_ADDRESS'],
  ['REGISTER_ANCHOR_ADDRESS', 'ANCHOR_PRIVATE_KEY'],
] as const

function readRegister(config: PlainConfig): RegisterConfig {
  const { REGISTER_SIGNING_KEY = '', RECEIPT_SIGNING_KEY = '', ANCHOR_PRIVATE_KEY, REGISTER_ANCHOR_ADDRESS } = config
  return {
    origin: `${new URL(siteUrl(config)).host}/register`,
    signingKey: bytesOf(REGISTER_SIGNING_KEY),
    receiptKey: bytesOf(RECEIPT_SIGNING_KEY),
    anchor:
      ANCHOR_PRIVATE_KEY && REGISTER_ANCHOR_ADDRESS
        ? { address: REGISTER_ANCHOR_ADDRESS, privateKey: `0x${withoutPrefix(ANCHOR_PRIVATE_KEY)}` }
        : undefined,
  }
}

const withoutPrefix = (hex: string): string => hex.replace(/^0x/, '')
const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(withoutPrefix(hex), 'hex'))

/** The `expected` variables that are not set in production. */
export const listMissing = (config: Config): VariableName[] =>
  config.production
    ? Object.entries(variables).flatMap(([name, { required }]) =>
        required === 'expected' && config[name as VariableName] === undefined ? [name as VariableName] : [],
      )
    : []

/** The direct connection for leadership, LISTEN and migrations, which do not work through a transaction pooler. */
export const directUrlOf = (config: Config): string => config.DATABASE_DIRECT_URL ?? config.DATABASE_URL
