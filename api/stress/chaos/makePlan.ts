import { MINUTE, SECOND } from '#shared/dates.ts'
import { createRandom, type Random } from './createRandom.ts'

export const faultKinds = [
  'processKilled',
  'processPaused',
  'leaderDeposed',
  'databaseStopped',
  'databaseCrashed',
  'connectionsCut',
  'connectionsExhausted',
  'descriptorsExhausted',
  'rpcErrors',
  'rpcTimeouts',
  'rpcHangUps',
  'rpcWrongAnswers',
  'rpcInventedPayments',
  'rpcLag',
  'blocksReorganized',
  'jobsDuplicated',
  'jobsDelayed',
  'clockMoved',
  'mailServerDown',
  'tableSpaceFull',
  'walFull',
  'migrationUnderLoad',
  'backupRestored',
] as const
export type FaultKind = (typeof faultKinds)[number]

/** The ways to buy. */
export const purchaseKinds = [
  /** Reserves, pays and reports the hash. */
  'reported',
  /** Does not report the payment. */
  'unreported',
  /** Reports the payment late. */
  'reportedLate',
  /** Reports the hash of a transaction that was replaced. */
  'spedUp',
  /** Releases the reservation, and then pays. */
  'paidAfterRelease',
  'paidTooLittle',
  'paidTooMuch',
  'paidInTwoParts',
  'paidTwice',
  /** Pays without a reservation. */
  'paidUnasked',
  /** Pays from an unregistered wallet. */
  'paidByStranger',
  'neverPaid',
] as const
export type PurchaseKind = (typeof purchaseKinds)[number]

export interface PlannedFault {
  /** Milliseconds from the start. */
  at: number
  kind: FaultKind
  /** Milliseconds; ignored by instantaneous faults. */
  lasts: number
  /** The seed for the random choices of the fault. */
  seed: number
}

export interface PlannedPurchase {
  at: number
  kind: PurchaseKind
  quantity: number
  seed: number
}

export interface PlannedWithdrawal {
  at: number
  holder: number
  /** In the smallest unit. Each amount is unique, so that its transfer on the chain can be identified. */
  amount: bigint
  /** Sends the request twice at the same time. */
  isRepeated: boolean
  /** Cancels it as soon as it is accepted; the payout worker may be faster. */
  isCancelled: boolean
}

export interface Plan {
  seed: number
  seconds: number
  faults: PlannedFault[]
  purchases: PlannedPurchase[]
  withdrawals: PlannedWithdrawal[]
}

export interface PlanOptions {
  seed: number
  seconds: number
  holders: number
  kinds: readonly FaultKind[]
}

/** The duration of a run with long faults, in seconds. */
const LONG_RUN = 300

/** The same options give the same plan on every machine. */
export function makePlan({ seed, seconds, holders, kinds }: PlanOptions): Plan {
  const random = createRandom(seed)
  const end = seconds * SECOND
  const isLong = seconds >= LONG_RUN
  return {
    seed,
    seconds,
    faults: planFaults(random, { end, isLong, kinds }),
    purchases: planPurchases(random, { end, every: isLong ? 900 : 500 }),
    withdrawals: planWithdrawals(random, { end, holders, every: isLong ? 1_500 : 700 }),
  }
}

function planFaults(
  random: Random,
  { end, isLong, kinds }: { end: number; isLong: boolean; kinds: readonly FaultKind[] },
): PlannedFault[] {
  const faults: PlannedFault[] = []
  // No fault in the first seconds, so that there is activity to disturb.
  let at = 2 * SECOND
  let deck: FaultKind[] = []
  let longPauses = isLong ? 1 : 0
  const others = kinds.filter((kind) => kind !== 'backupRestored')
  // Only once, because the records of users distinguish only one restore.
  if (others.length < kinds.length)
    faults.push({ at: end / 3, kind: 'backupRestored', lasts: end / 6, seed: random.between(0, 2 ** 31 - 1) })
  while (at < end) {
    if (deck.length === 0) deck = random.shuffle([...others, ...others.filter(isFrequent), ...others.filter(isFrequent)])
    const kind = deck.pop()!
    let lasts = isLong ? random.between(2 * SECOND, 20 * SECOND) : random.between(SECOND, 4 * SECOND)
    if (kind === 'leaderDeposed' && longPauses > 0 && at > end / 10 && at + 2 * MINUTE < end) {
      lasts = 2 * MINUTE
      longPauses -= 1
    }
    faults.push({ at, kind, lasts: Math.min(lasts, end - at), seed: random.between(0, 2 ** 31 - 1) })
    at += isLong ? random.between(1_500, 4_000) : random.between(400, 1_400)
  }
  return faults.toSorted((a, b) => a.at - b.at)
}

/** Faults that occur three times as often. */
const isFrequent = (kind: FaultKind): boolean => kind === 'processKilled' || kind === 'blocksReorganized'

function planPurchases(random: Random, { end, every }: { end: number; every: number }): PlannedPurchase[] {
  const purchases: PlannedPurchase[] = []
  for (let at = 0; at < end; at += random.between(every / 3, every))
    purchases.push({
      at,
      kind: random.chance(40) ? 'reported' : random.oneOf(purchaseKinds),
      quantity: random.between(1, 9),
      seed: random.between(0, 2 ** 31 - 1),
    })
  return purchases
}

/** The minimum withdrawal, in the smallest unit. */
const MIN_AMOUNT = 3_000n * 10n ** 18n

function planWithdrawals(
  random: Random,
  { end, holders, every }: { end: number; holders: number; every: number },
): PlannedWithdrawal[] {
  const withdrawals: PlannedWithdrawal[] = []
  for (let at = 0; at < end; at += random.between(every / 3, every))
    withdrawals.push({
      at,
      holder: random.between(0, holders - 1),
      amount: MIN_AMOUNT + BigInt(withdrawals.length) * 10n ** 15n,
      isRepeated: random.chance(25),
      isCancelled: random.chance(20),
    })
  return withdrawals
}
