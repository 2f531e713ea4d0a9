import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { HOUR } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { readDue } from '#api/withdrawals/payoutWallets/readHoldings.ts'

/** A withdrawal that waits longer for its signature counts as late. */
const LATE_AFTER = HOUR

export interface PayoutProgress {
  /** Why payouts are stopped; null while they are not. */
  stoppedBecause: string | null
  /** Payouts reach their cap. */
  isCapped: boolean
  /** Withdrawals without a signed payout, what they pay, and the time of the oldest, which is product time. */
  waiting: number
  due: bigint
  oldest: Date | null
}

/** Which payouts wait. @param ownAddress the wallet whose reason comes first. */
export async function readPayoutProgress(em: EntityManager, ownAddress: Address = '0x'): Promise<PayoutProgress> {
  const db = query(em)
  const stopped = await db
    .selectFrom('payout_wallets')
    .select('stoppedBecause')
    .where('stoppedBecause', 'is not', null)
    .orderBy((eb) => eb('address', '=', ownAddress), 'desc')
    .limit(1)
    .executeTakeFirst()
  const capped = await db
    .selectFrom('payout_wallets')
    .select('address')
    .where('cappedSince', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  const { count, amount, oldest } = await readDue(em)
  return {
    stoppedBecause: stopped?.stoppedBecause ?? null,
    isCapped: capped !== undefined,
    waiting: count,
    due: amount,
    oldest,
  }
}

/** Whether payouts wait for longer than usual. @param now product time. */
export const arePayoutsLate = ({ stoppedBecause, isCapped, oldest }: PayoutProgress, now: Date): boolean =>
  stoppedBecause !== null || isCapped || (oldest !== null && now.getTime() - oldest.getTime() > LATE_AFTER)
