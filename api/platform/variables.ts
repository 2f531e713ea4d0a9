import { createECDH } from 'node:crypto'
import { isIP } from 'node:net'
import { z } from 'zod'
import { hasWrongChecksum, isZeroAddress } from '#shared/typedAddress.ts'
import { address } from '#shared/wire/address.ts'
import { parseAmount } from '#shared/amount.ts'
import { DEFAULT_NODE_SUPPLY } from '#shared/sale.ts'
import { bytesOfKey } from './crypto/hexKeys.ts'
import { isDatabaseUrl } from './db/databaseUrl.ts'
import { parseRateLimits } from './http/limitRate.ts'

/**
 * When a variable is required.
 *
 * - `production`: development has a default, production has none.
 * - `embedded`: like `production`, and development runs the dependency itself (database, chains, mail).
 * - `expected`: production runs without it and warns at each start, because visitors miss it.
 * - `never`: there is a sensible default, or the feature is optional.
 */
type Required = 'production' | 'embedded' | 'expected' | 'never'

export interface Variable {
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
    createECDH(curve).setPrivateKey(bytesOfKey(hex))
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
