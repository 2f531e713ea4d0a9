import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import type { PayoutPeriod } from '#shared/contract/admin/office.ts'
import { DAY, HOUR } from '#shared/dates.ts'
import type { Config } from '#api/platform/config.ts'
import { query } from '#api/entities/tables.ts'

export type CapConfig = Pick<Config, 'PAYOUT_CAP_HOUR' | 'PAYOUT_CAP_DAY'>

/** One cap, as of now. */
export interface PayoutCap {
  period: PayoutPeriod
  limit: bigint
  /** What was signed within the period. */
  signed: bigint
  /** The panel's cap is in force, not the environment's. */
  isOfPanel: boolean
}

/** What the caps allow. Undefined values mean that there is no cap. */
export interface CapRoom {
  /** What may be signed now. */
  left: bigint | undefined
  /** The largest payout that could ever be signed. */
  largest: bigint | undefined
}

const lengths = { hour: HOUR, day: DAY }
export const payoutPeriods = ['hour', 'day'] as const

/** The caps set at both places; null: none. The lower one counts, so that the panel never raises the environment's. */
export async function readSetCaps(em: EntityManager, config: CapConfig) {
  const panel = await query(em)
    .selectFrom('installation')
    .select(['payoutCapHour', 'payoutCapDay'])
    .where('id', '=', 1)
    .executeTakeFirst()
  return {
    hour: { environment: config.PAYOUT_CAP_HOUR ?? null, panel: panel?.payoutCapHour ?? null },
    day: { environment: config.PAYOUT_CAP_DAY ?? null, panel: panel?.payoutCapDay ?? null },
  }
}

/** What was signed within a period that ends now, in real time. */
export async function sumSigned(em: EntityManager, { period, now }: { period: PayoutPeriod; now: Date }): Promise<bigint> {
  const { signed } = await query(em)
    .selectFrom('payouts')
    .select((eb) => eb.fn.sum<bigint | null>('amount').as('signed'))
    .where('signedAt', '>', new Date(now.getTime() - lengths[period]))
    .where('state', 'in', ['sent', 'paid', 'lost'])
    .executeTakeFirstOrThrow()
  return signed ?? 0n
}

/**
 * The caps in force and what was signed within their periods, which end now, in real time (money.md 27). Counts payouts of all wallets,
 * sweeps included, once each, however often they were replaced. Those that used their nonce without a transfer do not count.
 */
export async function readCaps(em: EntityManager, config: CapConfig, now: Date): Promise<PayoutCap[]> {
  const set = await readSetCaps(em, config)
  const caps: PayoutCap[] = []
  for (const period of payoutPeriods) {
    const { environment, panel } = set[period]
    const isOfPanel = panel !== null && (environment === null || panel < environment)
    const limit = isOfPanel ? panel : environment
    if (limit !== null) caps.push({ period, limit, isOfPanel, signed: await sumSigned(em, { period, now }) })
  }
  return caps
}

/** Undefined if there is none. */
export const least = (values: readonly bigint[]) =>
  values.reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined)

/** Undefined if there is none. */
export const greatest = (values: readonly bigint[]) =>
  values.reduce<bigint | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined)

export function roomOf(caps: readonly PayoutCap[]): CapRoom {
  return { left: least(caps.map(({ limit, signed }) => limit - signed)), largest: least(caps.map(({ limit }) => limit)) }
}

/** The largest payout that could ever be signed; undefined without caps. */
export async function readLargestPayout(em: EntityManager, config: CapConfig): Promise<bigint | undefined> {
  const { hour, day } = await readSetCaps(em, config)
  return least([hour, day].flatMap(({ environment, panel }) => [environment, panel]).filter((cap) => cap !== null))
}

/** "1,000 of 5,000 XCR in the last hour" */
export const describeCap = ({ period, limit, signed }: PayoutCap): string =>
  period === 'hour'
    ? `${shown(signed)} of ${shown(limit)} XCR in the last hour`
    : `${shown(signed)} of ${shown(limit)} XCR in the last day`

const shown = (value: bigint) => formatAmount(value, { maxDecimals: 4, grouped: true })
