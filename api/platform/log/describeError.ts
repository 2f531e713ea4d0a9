import { inspect } from 'node:util'
import type { Config } from '../config.ts'
import { readDatabaseUrl } from '../db/databaseUrl.ts'

/** Error fields in which PostgreSQL quotes rows, which may contain users' hashes and codes. */
const rowFields = ['detail', 'where', 'internalQuery']

/** Formats an error for the log, without rows of the database or secrets of the configuration. */
export function describeError(error: unknown, config: Config): string {
  return hideSecrets(inspect(withoutRows(error), { depth: 4 }), config)
}

/** Replaces the secrets of the configuration in a text. */
export const hideSecrets = (text: string, config: Config): string => createSecretHider(config)(text)

/** Like `hideSecrets`, prepared for many texts. */
export function createSecretHider(config: Config): (text: string) => string {
  const secrets = secretsOf(config)
  return (text) => secrets.reduce((safe, [secret, name]) => safe.replaceAll(secret, `(${name})`), text)
}

/** Removes quoted rows from an error and its causes, and the connection that a pool has added to it. */
export function withoutRows(error: unknown, seen = new Set<unknown>()): unknown {
  if (!(error instanceof Error) || seen.has(error)) return error
  seen.add(error)
  for (const name of rowFields) {
    if (Object.hasOwn(error, name) && Reflect.get(error, name) !== undefined) Reflect.set(error, name, '(left out)')
  }
  if ('client' in error) Reflect.deleteProperty(error, 'client')
  withoutRows(error.cause, seen)
  if (error instanceof AggregateError) for (const part of error.errors) withoutRows(part, seen)
  return error
}

function secretsOf(config: Config): [secret: string, name: string][] {
  const databaseUrl = (url: string | undefined) => [url && readDatabaseUrl(url).connectionString]
  const urls = {
    DATABASE_URL: databaseUrl(config.DATABASE_URL),
    DATABASE_DIRECT_URL: databaseUrl(config.DATABASE_DIRECT_URL),
    DATABASE_OWNER_URL: databaseUrl(config.DATABASE_OWNER_URL),
    DATABASE_REPLICA_URL: databaseUrl(config.DATABASE_REPLICA_URL),
    SMTP_URL: [config.SMTP_URL],
    BSC_RPC_URLS: config.BSC_RPC_URLS,
    XCR_RPC_URLS: config.XCR_RPC_URLS,
  }
  const words = {
    ENCRYPTION_KEY: config.ENCRYPTION_KEY,
    PAYOUT_PRIVATE_KEY: config.PAYOUT_PRIVATE_KEY,
    REGISTER_SIGNING_KEY: config.REGISTER_SIGNING_KEY,
    RECEIPT_SIGNING_KEY: config.RECEIPT_SIGNING_KEY,
    ANCHOR_PRIVATE_KEY: config.ANCHOR_PRIVATE_KEY,
    VAPID_PRIVATE_KEY: config.VAPID_PRIVATE_KEY,
    CAPTCHA_SECRET_KEY: config.CAPTCHA_SECRET_KEY,
    METRICS_TOKEN: config.METRICS_TOKEN,
  }
  return [
    ...Object.entries(words).map(([name, word]) => [word?.replace(/^0x/, ''), name] as const),
    ...Object.entries(urls).flatMap(([name, all]) =>
      all.flatMap((url) => (url === undefined ? [] : secretPartsOf(url).map((part) => [part, name] as const))),
    ),
  ].filter((entry): entry is [string, string] => entry[0] !== undefined && entry[0].length >= 4)
}

/** The minimum length at which a part of a URL may be an API key. */
const MIN_KEY_LENGTH = 8

/** Passwords, and the parts of RPC URLs that may be API keys. Hosts are not secret. */
function secretPartsOf(url: string): string[] {
  const { password, pathname, searchParams, protocol } = new URL(url)
  const isRpc = protocol.startsWith('http') || protocol.startsWith('ws')
  const keys = isRpc ? [...pathname.split('/'), ...searchParams.values()].filter((part) => part.length >= MIN_KEY_LENGTH) : []
  return [password, decodeURIComponent(password), ...keys]
}
