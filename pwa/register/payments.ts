import type { EntryOf } from '#shared/register/entryForms.ts'
import { numbers } from '#shared/register/values.ts'
import { rewardInstant } from '#shared/rewardTime.ts'
import type { LogState } from './LogState.ts'
import { type At, type GrantCause, type Group, type KnownDeposit, sizeOf, transferId } from './logTypes.ts'
import { Stop } from './Report.ts'

const factsOf = (entry: Pick<EntryOf<'grant'>, 'numbers' | 'allocated' | 'active'>): string =>
  `${numbers.write(entry.numbers!)} ${entry.allocated!.toISOString()} ${entry.active!.toISOString()}`

export function joinGroup(log: LogState, entry: At<'deposit'> | At<'grant'>, cause: GrantCause | 'deposit'): Group {
  const group = log.groups.get(entry.group!) ?? beginGroup(log, entry)
  log.check('E2', group.facts === factsOf(entry), 'other numbers or times than in another entry of the group')
  if (entry.kind === 'deposit') {
    const terms = { price: entry.price!, priced: entry.priced! }
    group.terms ??= terms
    const isSame = group.terms.price === terms.price && group.terms.priced.getTime() === terms.priced.getTime()
    log.check('E2', isSame, 'another price than in another entry of the group')
  } else {
    log.check('E2', !group.causes.has(cause), 'a second grant of the group')
    const isInTime = cause !== 'gift' || !log.lastDay || group.allocated > rewardInstant(log.lastDay.day)
    log.check('E2', isInTime, 'a gift declared after the first day of the group')
  }
  group.causes.add(cause)
  const isOneKind = group.causes.size === 1 || !(group.causes.has('rule') || group.causes.has('hand'))
  log.check('E2', isOneKind, 'a grant and a purchase in one group')
  log.dirtyGroups.add(group)
  return group
}

function beginGroup(log: LogState, entry: At<'deposit'> | At<'grant'>): Group {
  log.check('entries', entry.group === log.groups.size + 1, 'a group id out of turn')
  const isNew = !log.lastDay || entry.allocated! > rewardInstant(log.lastDay.day)
  log.check('entries', isNew, 'a group from before the last day')
  const ranges = entry.numbers!
  log.numbersInGroups += sizeOf(ranges)
  // Counted before they are expanded.
  const isPossible = ranges.at(-1)!.last <= log.largestSupply && log.numbersInGroups <= log.largestSupply
  if (!log.check('E2', isPossible, 'more numbers than the supply')) throw new Stop()
  const group: Group = {
    id: entry.group!,
    numbers: ranges,
    allocated: entry.allocated!,
    active: entry.active!,
    facts: factsOf(entry),
    causes: new Set(),
    terms: null,
    current: new Map(),
    orphans: [],
  }
  log.groups.set(group.id, group)
  return group
}

/** The last entry of a transfer is current. */
export function readDeposit(log: LogState, entry: At<'deposit'>): void {
  const id = transferId(entry.transfer)
  const before = log.deposits.get(id)
  const deposit = { ...entry, firstMined: before?.firstMined ?? entry.mined }
  if (before) removeDeposit(log, before, entry.time)
  log.deposits.set(id, deposit)
  log.received[entry.decision] += entry.amount
  if (entry.decision === 'refunded') log.returned += entry.returned!
  if (entry.refund) countRefund(log, transferId(entry.refund), 1)
  log.dirtyDeposits.add(deposit)
  if (entry.group === null) return
  const group = joinGroup(log, entry, 'deposit')
  group.current.set(id, deposit)
  if (entry.decision === 'orphaned') group.orphans.push({ transfer: id, from: entry.time, until: null })
}

function removeDeposit(log: LogState, before: KnownDeposit, at: Date): void {
  const id = transferId(before.transfer)
  log.received[before.decision] -= before.amount
  if (before.decision === 'refunded') log.returned -= before.returned!
  if (before.refund) countRefund(log, transferId(before.refund), -1)
  log.dirtyDeposits.delete(before)
  const group = before.group === null ? undefined : log.groups.get(before.group)
  if (!group) return
  group.current.delete(id)
  log.dirtyGroups.add(group)
  const orphan = before.decision === 'orphaned' ? group.orphans.findLast(({ transfer }) => transfer === id) : undefined
  if (orphan) orphan.until = at
}

function countRefund(log: LogState, refund: string, change: number): void {
  const uses = (log.refunds.get(refund) ?? 0) + change
  if (uses === 0) log.refunds.delete(refund)
  else log.refunds.set(refund, uses)
}

export function readPayout(log: LogState, entry: At<'payout'>): void {
  const isOfAccount = entry.state !== 'sweep' && entry.state !== 'foreign'
  const feeFrom = log.firstFee.get(entry.fee)
  log.check('E5', !isOfAccount || (feeFrom !== undefined && entry.time >= feeFrom), 'a fee that was not in force')
  const id = payoutId(entry)
  const before = log.payouts.get(id)
  if (entry.request && before) {
    log.check('entries', before.state === 'accepted', `a payout that was final as ${before.state}`)
    log.check('E5', before.net === entry.net && before.fee === entry.fee, 'another amount than before')
  }
  if (entry.transfer) {
    const other = log.payoutOf.get(transferId(entry.transfer))
    log.check('entries', !other || other.state === 'foreign', 'a transfer that another payout names')
    log.payoutOf.set(transferId(entry.transfer), entry)
  }
  if (before) countPayout(log, before, -1n)
  log.payouts.set(id, entry)
  countPayout(log, entry, 1n)
}

const payoutId = ({ request, transfer }: EntryOf<'payout'>): string => (request ? request.join() : transferId(transfer!))

function countPayout(log: LogState, { state, net, fee }: EntryOf<'payout'>, sign: bigint): void {
  if (state === 'accepted') log.open += sign * (net + fee)
  if (state !== 'paid' && state !== 'elsewhere' && state !== 'booked') return
  log.completed = { net: log.completed.net + sign * net, fees: log.completed.fees + sign * fee }
}
