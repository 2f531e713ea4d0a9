import { bytesToHex } from '@noble/hashes/utils.js'
import { DAY } from '#shared/dates.ts'
import { equalBytes } from '#shared/register/bytes.ts'
import type { DayTree } from '#shared/register/dayTree.ts'
import { nodeKinds, nodeStates } from '#shared/register/nodeLeaf.ts'
import { rootOf } from '#shared/register/tree.ts'
import { dayAfter, rewardInstant } from '#shared/rewardTime.ts'
import { type Leaves, readLeaves } from './Leaves.ts'
import type { LogState } from './LogState.ts'
import { type At, each, type Group, kindOf, receivedOf, sizeOf } from './logTypes.ts'
import { Stop } from './Report.ts'

/** More than 84,000 days do not fit between 1970 and 2199. */
const MAX_DAYS = 84_000

/** E1 to E4 and E8, at a day. */
export async function checkDay(log: LogState, entry: At<'day'>): Promise<void> {
  const nine = rewardInstant(entry.day)
  const isReal = log.genesis.clock === 'real'
  const before = log.lastDay
  log.check('days', !before || entry.day === dayAfter(before.day), () => `day ${entry.day} follows ${before?.day}`)
  const isDue = entry.due <= entry.paid && (!isReal || entry.due.getTime() === nine.getTime())
  log.check('days', isDue, 'paid before it was due, or due at another time than 09:00')
  const delay = entry.paid.getTime() - entry.due.getTime()
  // A note that follows the day excuses nothing.
  const isCaughtUp = log.caughtUp.has(entry.day)
  log.check('days', !isReal || delay <= DAY || isCaughtUp, 'paid late without a note')
  if (log.days.length >= MAX_DAYS) throw new Stop()
  const cut = isReal ? entry.due : entry.paid
  const rate = log.settings.rate.at(nine)
  if (before && before.rate !== entry.rate && log.lastBooks)
    log.rateChanges.push({
      day: entry.day,
      cut,
      index: rate?.index ?? Infinity,
      booksIndex: log.books.findLast(({ time }) => time <= cut)?.index ?? -1,
    })
  log.days.push({
    day: entry.day,
    due: entry.due,
    paid: entry.paid,
    rate: entry.rate,
    earned: entry.earned,
    active: entry.states.active,
    owned: entry.nodes.size - entry.states.free,
    supply: entry.nodes.size,
    index: entry.index,
    isCaughtUp,
  })
  const prior = log.leaves
  const { leaves, tree } = await loadLeaves(log, entry)
  log.leaves = leaves
  checkFigures(log, entry, tree, rate?.value)
  checkGroups(log, entry, { nine, cut, prior })
  checkNumbers(log, entry, prior)
  checkEarnings(log, entry, prior)
  log.corrections = []
  for (const watcher of log.watchers) watcher.day?.(entry, leaves)
}

/** E1: the files against the entry. */
async function loadLeaves(log: LogState, { day, nodes }: At<'day'>): Promise<{ leaves: Leaves; tree: DayTree }> {
  const files = await log.report.part('E1', () => log.readDay(day, nodes.size))
  if (!files) throw new Stop()
  const loaded = readLeaves(files.leaves, (number, why, raw) =>
    log.report.fail('E1', `day ${day}, number ${number}: ${why}`, bytesToHex(raw)),
  )
  log.check('E1', equalBytes(loaded.tree.root(), nodes.root), 'another root than that of the leaves')
  const isSame = equalBytes(rootOf(files.hashes), nodes.root) && equalBytes(loaded.tree.blockHashes(), joined(files.hashes))
  log.check('E1', isSame, 'other block hashes than those of the leaves')
  return loaded
}

const joined = (hashes: readonly Uint8Array[]): Uint8Array => {
  const bytes = new Uint8Array(hashes.length * 32)
  for (const [index, hash] of hashes.entries()) bytes.set(hash, index * 32)
  return bytes
}

/** E1, E3, and the sums of E4. */
function checkFigures(log: LogState, entry: At<'day'>, tree: DayTree, rate: bigint | undefined): void {
  const { states, kinds, earned } = tree
  const supply = log.settings.supply.at(rewardInstant(entry.day))?.value
  log.check('E1', supply === BigInt(entry.nodes.size), 'another size than the supply in force')
  const hasStates = nodeStates.every((state) => states[state] === entry.states[state])
  log.check('E1', hasStates, () => `the leaves have the states ${Object.values(states).join(' ')}`)
  const hasKinds = nodeKinds.every((kind) => kinds[kind] === entry.kinds[kind])
  log.check('E1', hasKinds, () => `the leaves have the kinds ${Object.values(kinds).join(' ')}`)
  log.check('E1', entry.earned === earned, () => `the leaves have earned ${earned}`)
  log.check('E3', kinds.bonus <= Math.floor(kinds.paid / 10), 'more bonus nodes than a tenth of the paid ones')
  log.check('E4', rate === entry.rate, () => `the rate in force is ${rate ?? 'none'}`)
  log.check('E4', entry.rewards === entry.rate * BigInt(entry.states.active), 'the rewards are not rate × active')
}

/** E2 and E8: each group owns its numbers, and their states follow from it. */
function checkGroups(log: LogState, entry: At<'day'>, { nine, cut, prior }: { nine: Date; cut: Date; prior: Leaves }): void {
  const { leaves, report } = log
  const owned = new Set<number>()
  const frozen = new Set<number>()
  for (const group of log.groups.values()) {
    if (group.allocated > nine) continue
    const where = `day ${entry.day}, group ${group.id}`
    const isHeld = group.current.size > 0 || [...group.causes].some((cause) => cause !== 'deposit')
    report.check('E2', isHeld, `${where}: neither a deposit nor a grant`, log.text)
    const isFirst = group.allocated.getTime() > nine.getTime() - DAY || log.days.length === 1
    if (isFirst && group.causes.has('gift')) checkGift(log, group, where)
    const kind = kindOf(group)
    const isActive = group.active <= nine
    const mayBeFrozen = group.orphans.some(
      ({ from, until }) => (!isActive || from <= entry.paid) && (until === null || until >= cut),
    )
    for (const number of each(group.numbers)) {
      const at = (why: string) => () => `${where}, number ${number}: ${why}`
      const raw = leaves.hex(number)
      const { state, kind: shown } = leaves.of(number)
      report.check('E2', !owned.has(number), at('in two groups'), raw)
      owned.add(number)
      if (!report.check('E2', state !== 'free', at('free, but its group owns it'), raw)) continue
      if (prior.state(number) === 'free') report.check('E2', shown === kind, at(`shown as ${shown}, not ${kind}`), raw)
      if (state === 'frozen') {
        report.check('E8', mayBeFrozen, at('frozen without an orphaned deposit'), raw)
        if (!isActive) continue
        frozen.add(number)
        if (entry.rate > 0n) log.missed.set(`${entry.day} ${number}`, group)
      } else report.check('E8', state === (isActive ? 'active' : 'waiting'), at(`shown as ${state}`), raw)
    }
  }
  if (frozen.size > 0) log.frozen.set(entry.day, { rate: entry.rate, numbers: frozen })
  for (let number = 1; number <= leaves.size; number++) {
    const isExplained = leaves.state(number) === 'free' || owned.has(number)
    report.check('E2', isExplained, () => `day ${entry.day}, number ${number}: owned without a group`, leaves.hex(number))
  }
}

function checkGift(log: LogState, group: Group, where: string): void {
  if (!group.terms) return
  const list = log.settings.price.at(group.terms.priced)
  const isLow = !list || 2n * receivedOf(group) < BigInt(sizeOf(group.numbers)) * list.value
  log.report.check('E2', isLow, `${where}: called a gift, although half of the price was received`, log.text)
}

/** E8: what a number was on the prior day. */
function checkNumbers({ leaves, report }: LogState, { day }: At<'day'>, prior: Leaves): void {
  for (let number = 1; number <= prior.size; number++) {
    if (prior.state(number) === 'free') continue
    const at = (why: string) => () => `day ${day}, number ${number}: ${why}`
    if (report.check('E8', leaves.state(number) !== 'free', at('goes back to free'), prior.hex(number)))
      report.check('E8', leaves.kind(number) === prior.kind(number), at('changes its kind'), prior.hex(number))
  }
}

/** E4: what each number has earned since the prior day. */
function checkEarnings(log: LogState, entry: At<'day'>, prior: Leaves): void {
  const { leaves, report } = log
  const { steps, sum } = readCredits(log, entry)
  report.check('E4', entry.corrected === sum, `day ${entry.day}: the credits are ${sum}`, log.text)
  let credit = 0n
  for (let number = 1; number <= leaves.size; number++) {
    credit += steps.get(number) ?? 0n
    const { state, earned } = leaves.of(number)
    const due = prior.of(number).earned + (state === 'active' ? entry.rate : 0n) + credit
    report.check(
      'E4',
      earned === due,
      () => `day ${entry.day}, number ${number}: earned ${earned}, not ${due}`,
      leaves.hex(number),
    )
  }
}

/** The credits as differences between neighbors, so that a range costs no more than its two ends. */
function readCredits(log: LogState, { day }: At<'day'>): { steps: Map<number, bigint>; sum: bigint } {
  const steps = new Map<number, bigint>()
  let sum = 0n
  for (const { missed, reason, credits } of log.corrections) {
    const frozen = log.frozen.get(missed)
    for (const { first, last, amount } of credits) {
      const fail = (condition: boolean, why: string) =>
        log.report.check('E4', condition, () => `day ${day}, credit for ${missed}, numbers ${first}-${last}: ${why}`, log.text)
      sum += amount * BigInt(last - first + 1)
      fail(last <= log.leaves.size, 'not in the tree')
      steps.set(first, (steps.get(first) ?? 0n) + amount)
      steps.set(last + 1, (steps.get(last + 1) ?? 0n) - amount)
      if (reason !== 'thawed') continue
      const isPossible = frozen !== undefined && last - first < frozen.numbers.size && amount === frozen.rate
      if (!fail(isPossible, "no reward was missed then, or another amount than that day's rate") || !frozen) continue
      for (const number of each([{ first, last }])) {
        fail(frozen.numbers.delete(number), `number ${number} missed no reward, or is credited twice`)
        log.missed.delete(`${missed} ${number}`)
      }
    }
  }
  return { steps, sum }
}
