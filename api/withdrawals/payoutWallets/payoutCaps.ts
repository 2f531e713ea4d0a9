import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import { DAY, HOUR } from '#shared/dates.ts'
import type { Config } from '#api/platform/config.ts'
import { query } from '#api/entities/tables.ts'

/** One configured cap, as of now. */
export interface PayoutCap {
  period: 'hour' | 'day'
  limit: bigint
  /** What was signed within the period. */
  signed: bigint
}

/** What the caps allow. Undefined values mean that there is no cap. */
export interface CapRoom {
  /** What may be signed now. */
  left: bigint | undefined
  /** The largest payout that could ever be signed. */
  largest: bigint | undefined
}

const periods = { hour: HOUR, day: DAY }

const limitsOf = ({ PAYOUT_CAP_HOUR, PAYOUT_CAP_DAY }: Pick<Config, 'PAYOUT_CAP_HOUR' | 'PAYOUT_CAP_DAY'>) =>
  [
    { period: 'hour', limit: PAYOUT_CAP_HOUR },
    { period: 'day', limit: PAYOUT_CAP_DAY },
  ] as const

/**
 * The configured caps and what was signed within their periods, which end now, in real time (money.md 27). Counts payouts of all wallets,
 * sweeps included, once each, however often they were replaced. Those that used their nonce without a transfer do not count.
 */
export async function readCaps(em: EntityManager, config: Config, now: Date): Promise<PayoutCap[]> {
  const caps: PayoutCap[] = []
  for (const { period, limit } of limitsOf(config)) {
    if (limit === undefined) continue
    const { signed } = await query(em)
      .selectFrom('payouts')
      .select((eb) => eb.fn.sum<bigint | null>('amount').as('signed'))
      .where('signedAt', '>', new Date(now.getTime() - periods[period]))
      .where('state', 'in', ['sent', 'paid', 'lost'])
      .executeTakeFirstOrThrow()
    caps.push({ period, limit, signed: signed ?? 0n })
  }
  return caps
}

export function roomOf(caps: readonly PayoutCap[]): CapRoom {
  const least = (values: readonly bigint[]) =>
    values.reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined)
  return { left: least(caps.map(({ limit, signed }) => limit - signed)), largest: least(caps.map(({ limit }) => limit)) }
}

/** "1,000 of 5,000 XCR in the last hour" */
export const describeCap = ({ period, limit, signed }: PayoutCap): string =>
  period === 'hour'
    ? `${shown(signed)} of ${shown(limit)} XCR in the last hour`
    : `${shown(signed)} of ${shown(limit)} XCR in the last day`

const shown = (value: bigint) => formatAmount(value, { maxDecimals: 4, grouped: true })
