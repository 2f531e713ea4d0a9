import { createHash } from 'node:crypto'
import pg from 'pg'
import { RateLimiterMemory, RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible'
import { SECOND } from '#shared/dates.ts'
import { connectionOptions } from '../db/connectionOptions.ts'
import { describeWait } from '../describeWait.ts'
import { DomainError } from '../errors.ts'
import { isLoopback, networkOf } from './clientAddress.ts'

interface Limit {
  /**
   * The unit by which calls are counted. A known device of the account is counted separately wherever strangers could otherwise
   * exhaust its owner's limit (`countedAs`). Limits per IP address exclude the loopback outside production and count an IPv6 /64
   * network as one; those per site count an IPv6 /48 network as one.
   */
  per: 'ip' | 'site' | 'account' | 'email'
  points: number
  seconds: number
  /** Counted per process, because a write per call would cost more than the calls it prevents. */
  inMemory?: true
}

/** The defaults. `RATE_LIMITS` overrides single ones, as `name=points/seconds`. */
export const rateLimits = {
  /** Failed logins of one account. */
  login_failures: { per: 'email', points: 10, seconds: 900 },
  login_ip: { per: 'ip', points: 60, seconds: 900 },
  /** Challenges for a login by passkey. */
  passkey_options_site: { per: 'site', points: 240, seconds: 900 },
  /** Failed logins of one account after which each needs a captcha. */
  captcha_login: { per: 'email', points: 3, seconds: 900 },
  captcha_login_ip: { per: 'ip', points: 10, seconds: 900 },
  /** An IPv6 connection often has hundreds of networks, each with its own limit per network. */
  captcha_login_site: { per: 'site', points: 120, seconds: 900 },
  /** Mails of one kind to one address after which each needs a captcha. */
  captcha_codes: { per: 'email', points: 3, seconds: 3_600 },
  captcha_codes_ip: { per: 'ip', points: 30, seconds: 3_600 },
  captcha_codes_site: { per: 'site', points: 240, seconds: 3_600 },
  /** Captchas requested and solved. */
  captcha_ip: { per: 'ip', points: 120, seconds: 900 },
  /** Codes of one kind mailed to one address per day (money.md 34). */
  codes_sent: { per: 'email', points: 10, seconds: 86_400 },
  codes_sent_ip: { per: 'ip', points: 60, seconds: 3_600 },
  /** Wrong codes of one kind for one address per day (money.md 34). */
  codes_wrong: { per: 'email', points: 20, seconds: 86_400 },
  /** Presses of the button behind the links of mails. */
  freeze_ip: { per: 'ip', points: 30, seconds: 3_600 },
  /** Loads of the page behind them: apart from the presses, so that reloads use up none of these. */
  freeze_link_ip: { per: 'ip', points: 120, seconds: 3_600 },
  register_ip: { per: 'ip', points: 30, seconds: 3_600 },
  /** Wrong passwords during a password change, a freeze or a thaw. */
  password: { per: 'account', points: 10, seconds: 900 },
  /** Changes of a password or of an administrator's credentials, whatever comes of them: each hashes two passwords. */
  password_change: { per: 'account', points: 20, seconds: 900 },
  reset_ip: { per: 'ip', points: 60, seconds: 3_600 },
  /** Failed logins of one administrator. */
  admin_login_failures: { per: 'account', points: 10, seconds: 900 },
  admin_login_ip: { per: 'ip', points: 60, seconds: 900 },
  admin_login_site: { per: 'site', points: 120, seconds: 900 },
  /** Refused admin logins from addresses that are not allowed, which are recorded in the audit log. */
  admin_refused_ip: { per: 'ip', points: 10, seconds: 3_600 },
  admin_refused_site: { per: 'site', points: 30, seconds: 3_600 },
  setup_ip: { per: 'ip', points: 20, seconds: 900 },
  otp: { per: 'account', points: 60, seconds: 900 },
  wallet: { per: 'account', points: 60, seconds: 900 },
  purchase: { per: 'account', points: 120, seconds: 900, inMemory: true },
  withdrawal: { per: 'account', points: 60, seconds: 900 },
  /** Messages to all accounts. */
  announcement: { per: 'account', points: 5, seconds: 3_600 },
  /** Proposals of one administrator, which are mailed to those who may approve them. */
  proposal: { per: 'account', points: 60, seconds: 3_600 },
  /** Searches for anything by an administrator, who types and looks. */
  search: { per: 'account', points: 600, seconds: 900, inMemory: true },
  /** Incidents of the status page: started, changed and resolved. */
  incident: { per: 'account', points: 60, seconds: 3_600 },
  /** Spreadsheet downloads. */
  export: { per: 'account', points: 30, seconds: 900 },
  demo_ip: { per: 'ip', points: 60, seconds: 60 },
} as const satisfies Record<string, Limit>

export type RateLimitName = keyof typeof rateLimits

export interface RateLimiter {
  /** Counts one call. @throws 429 with the seconds to wait if the limit is exceeded. */
  count(name: RateLimitName, key: string): Promise<void>
  /** Counts one call like `count` and returns whether the limit is exceeded, without refusing it. */
  countBeyond(name: RateLimitName, key: string): Promise<boolean>
  /** Refuses like `count` without counting. */
  check(name: RateLimitName, key: string): Promise<void>
  /** Uncounts one call that turned out to be legitimate. */
  uncount(name: RateLimitName, key: string): Promise<void>
  /** Resets the count. */
  clear(name: RateLimitName, key: string): Promise<void>
  stop(): Promise<void>
}

/** Parses overrides such as `login_ip=100/900 otp=5/60`. @throws if a name is unknown or a number is malformed. */
export function parseRateLimits(text: string): Record<RateLimitName, Limit> {
  const limits: Record<RateLimitName, Limit> = { ...rateLimits }
  for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
    const [, name, points, seconds] = /^(\w+)=(\d+)\/(\d+)$/.exec(entry) ?? []
    if (!name || !(name in limits)) throw new Error(`has "${entry}", which is not name=points/seconds of a known limit.`)
    const known = name as RateLimitName
    limits[known] = { ...limits[known], points: Number(points), seconds: Number(seconds) }
  }
  return limits
}

/** Counts calls in PostgreSQL, so that all processes share the counts. */
export function createRateLimiter({
  url,
  production,
  poolSize = 4,
  answerTimeout = 15 * SECOND,
  overrides = '',
}: {
  url: string
  production: boolean
  poolSize?: number
  answerTimeout?: number
  overrides?: string
}): RateLimiter {
  const pool = new pg.Pool({ ...connectionOptions(url, { answerTimeout }), max: poolSize })
  pool.on('error', () => {})
  const limits = parseRateLimits(overrides)
  const counters = Object.fromEntries(
    Object.entries(limits).map(([name, { points, seconds, inMemory }]) => {
      const count = { keyPrefix: name, points, duration: seconds }
      const shared = {
        storeClient: pool,
        storeType: 'pool',
        tableName: 'rate_limits',
        tableCreated: true,
        clearExpiredByTimeout: false,
      }
      return [name, inMemory ? new RateLimiterMemory(count) : new RateLimiterPostgres({ ...count, ...shared })]
    }),
  ) as unknown as Record<RateLimitName, RateLimiterPostgres>
  /** The table's keys are limited to 255 characters including the limit's name; an email address alone may have 254. */
  const storageKey = (name: RateLimitName, key: string): string => {
    const { per } = limits[name]
    const counted = per === 'ip' || per === 'site' ? networkOf(key, per === 'site' ? 48 : 64) : key
    return counted.length <= 200 ? counted : createHash('sha256').update(counted).digest('hex')
  }
  const isExempt = (name: RateLimitName, key: string) =>
    ['ip', 'site'].includes(limits[name].per) && !production && isLoopback(key)

  return {
    async count(name, key) {
      if (isExempt(name, key)) return
      await counters[name].consume(storageKey(name, key)).catch((reason: unknown) => {
        throw reason instanceof Error ? reason : tooMany(reason as RateLimiterRes)
      })
    },
    async countBeyond(name, key) {
      if (isExempt(name, key)) return false
      const { consumedPoints } = await counters[name].penalty(storageKey(name, key))
      return consumedPoints > limits[name].points
    },
    async check(name, key) {
      if (isExempt(name, key)) return
      const state = await counters[name].get(storageKey(name, key))
      if (state && state.consumedPoints >= limits[name].points) throw tooMany(state)
    },
    async uncount(name, key) {
      if (isExempt(name, key)) return
      await counters[name].reward(storageKey(name, key))
    },
    async clear(name, key) {
      await counters[name].delete(storageKey(name, key))
    },
    async stop() {
      await pool.end()
    },
  }
}

function tooMany({ msBeforeNext }: Pick<RateLimiterRes, 'msBeforeNext'>): DomainError {
  const seconds = Math.ceil(msBeforeNext / 1_000)
  const wait = describeWait(seconds)
  return new DomainError('rate_limited', `Too many attempts. Please try again in ${wait}.`, { status: 429, retryAfter: seconds })
}
