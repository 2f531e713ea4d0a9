import { DAY, MINUTE } from '#shared/dates.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { type NodeLeaf, parseLeaf, LEAF_SIZE } from '#shared/register/nodeLeaf.ts'
import { rewardInstant } from '#shared/rewardTime.ts'
import type { ChainFigures } from './chainFigures.ts'
import type { PublishedGroup, PublishedLog } from './PublishedLog.ts'

export type Equation = `E${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`

/** An equation of format.md, "Equations", is false: the register must not be signed. */
export class EquationFalse extends Error {
  override name = 'EquationFalse'
  readonly equation: Equation
  readonly because: string

  constructor(equation: Equation, because: string) {
    super(`${equation}: ${because}`)
    this.equation = equation
    this.because = because
  }
}

/** A demo's chain starts with it and has no final block in its first seconds. */
export class ChainTooYoung extends Error {
  override name = 'ChainTooYoung'
}

/** The rows or a chain are not complete up to a block of the last 24 hours, for a reason that tells nothing about the equations. */
export class BooksIncomplete extends Error {
  override name = 'BooksIncomplete'
}

function verify(equation: Equation, condition: unknown, because: () => string): void {
  if (!condition) throw new EquationFalse(equation, because())
}

/** The leaves of a day's file. A number beyond it is free. */
export class DayLeaves {
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array = new Uint8Array()) {
    this.#bytes = bytes
  }

  get size(): number {
    return this.#bytes.length / LEAF_SIZE
  }

  at(number: number): NodeLeaf | undefined {
    const start = (number - 1) * LEAF_SIZE
    if (start >= this.#bytes.length || this.#bytes[start + 1] === 0) return undefined
    return parseLeaf(this.#bytes.subarray(start, start + LEAF_SIZE))
  }

  /** What all numbers have earned up to this day, by number. */
  earnings(): Map<number, bigint> {
    const earned = new Map<number, bigint>()
    for (let number = 1; number <= this.size; number++) {
      const leaf = this.at(number)
      if (leaf) earned.set(number, leaf.earned)
    }
    return earned
  }
}

interface CheckedDay {
  entry: EntryOf<'day'>
  leaves: DayLeaves
  before: DayLeaves
  credits: ReadonlyMap<number, bigint>
  /** As the day's run counted them. */
  run: { nodes: number; amount: bigint }
  isDemo: boolean
}

/** E1 to E4 and E8, at a day, over the bytes that are about to be published. @throws {EquationFalse} */
export function checkDay(log: PublishedLog, { entry, leaves, before, credits, run, isDemo }: CheckedDay): void {
  const { day, rate, states, kinds } = entry
  const nine = rewardInstant(day).getTime()
  const at = (number: number) => `day ${day}, number ${number}`
  verify(
    'E1',
    log.settingAt('supply', nine) === BigInt(leaves.size),
    () => `day ${day} has ${leaves.size} leaves, not the supply`,
  )
  verify(
    'E3',
    kinds.bonus <= Math.floor(kinds.paid / 10),
    () => `day ${day} has ${kinds.bonus} bonus nodes for ${kinds.paid} paid ones`,
  )
  verify('E4', log.settingAt('rate', nine) === rate, () => `day ${day} was paid at ${rate}, and the log has another rate`)
  verify('E4', entry.rewards === rate * BigInt(states.active), () => `day ${day}: the rewards are not rate × active`)
  const isPaid = rate === 0n || (run.nodes === states.active && run.amount === entry.rewards)
  verify('E4', isPaid, () => `day ${day}: the run paid ${run.amount} for ${run.nodes} nodes, the leaves say ${entry.rewards}`)
  const owners = new Map<number, PublishedGroup>()
  for (const group of log.groups.values()) {
    if (group.allocated > nine) continue
    const isHeld = group.deposits.size > 0 || [...group.causes].some((cause) => cause !== 'deposit')
    verify('E2', isHeld, () => `day ${day}, group ${group.id}: neither a deposit nor a grant`)
    for (const [first, last] of group.ranges)
      for (let number = first; number <= last; number++) {
        verify('E2', !owners.has(number), () => `${at(number)}: in two groups`)
        owners.set(number, group)
      }
  }
  const cut = isDemo ? entry.paid.getTime() : entry.due.getTime()
  let earned = 0n
  for (let number = 1; number <= Math.max(leaves.size, before.size); number++) {
    const [leaf, was, group] = [leaves.at(number), before.at(number), owners.get(number)]
    verify(
      'E2',
      (leaf !== undefined) === (group !== undefined),
      () => `${at(number)}: ${leaf ? 'owned by no group' : 'its group owns it'}`,
    )
    verify('E8', leaf || !was, () => `${at(number)}: goes back to free`)
    if (!leaf || !group) continue
    earned += leaf.earned
    verify('E8', !was || was.kind === leaf.kind, () => `${at(number)}: its kind changes`)
    verify('E2', was || leaf.kind === kindOf(group), () => `${at(number)}: shown as ${leaf.kind}`)
    const isActive = group.active <= nine
    const expected = isActive ? 'active' : 'waiting'
    const mayBeFrozen = group.orphans.some(({ from, until }) => (!isActive || from <= entry.paid.getTime()) && until >= cut)
    verify('E8', leaf.state === 'frozen' ? mayBeFrozen : leaf.state === expected, () => `${at(number)}: shown as ${leaf.state}`)
    const due = (was?.earned ?? 0n) + (leaf.state === 'active' ? rate : 0n) + (credits.get(number) ?? 0n)
    verify('E4', leaf.earned === due, () => `${at(number)}: earned ${leaf.earned}, not ${due}`)
  }
  verify('E1', entry.earned === earned, () => `day ${day}: the leaves have earned ${earned}`)
}

/** No backdating: the published days owned none of the groups that are named now. @throws {EquationFalse} */
export function checkNewGroups(log: PublishedLog, { known, lastDay }: { known: number; lastDay: string | undefined }): void {
  if (lastDay === undefined) return
  const nine = rewardInstant(lastDay).getTime()
  for (const { id, allocated } of log.groups.values())
    verify('E2', id <= known || allocated > nine, () => `group ${id} is from before ${lastDay}, which was published without it`)
}

function kindOf({ causes }: PublishedGroup): NodeLeaf['kind'] {
  if (causes.has('hand') || causes.has('gift')) return 'granted'
  return causes.has('rule') ? 'bonus' : 'paid'
}

interface CheckedBooks {
  entry: EntryOf<'books'>
  day: EntryOf<'day'>
  before: Pick<EntryOf<'books'>, 'paymentBlock' | 'rewardBlock'> | undefined
  /** Why the block of a chain may be an old one. */
  behind: ChainFigures['behind']
  isDemo: boolean
}

/** E2 and E5 to E7, at books. @throws {EquationFalse} @throws {BooksIncomplete} */
export function checkBooks(log: PublishedLog, { entry, day, before, behind, isDemo }: CheckedBooks): void {
  checkReceived(log, entry)
  const { completed } = entry
  verify('E5', log.falsePayouts.length === 0, () => log.falsePayouts[0]!)
  verify('E5', entry.earned === day.earned, () => `earned ${entry.earned} is not that of the day`)
  verify(
    'E5',
    completed.net === log.net && completed.fees === log.fees,
    () => `completed: the entries say ${log.net} and ${log.fees}`,
  )
  verify('E5', entry.open === log.open, () => `open: the entries say ${log.open}, the rows ${entry.open}`)
  verify('E5', entry.owed === entry.balances + entry.open, () => 'owed is not balances + open')
  const paid = completed.net + completed.fees
  verify(
    'E5',
    entry.earned + entry.debts === entry.owed + paid,
    () => `${entry.earned} earned and ${entry.debts} of debts are not ${entry.owed} owed and ${paid} paid`,
  )
  const listed = (addresses: readonly string[] | null) => (addresses ?? []).join()
  verify(
    'E6',
    listed(entry.addresses) === listed([...log.addresses.deposit].toSorted()),
    () => 'the addresses are not those of the log',
  )
  const wallets = entry.reserve?.map(({ address }) => address) ?? []
  const isComplete = listed(wallets) === listed([...log.addresses.wallet].toSorted())
  // The reserve of older books lacks a wallet that was named after them.
  if (!isComplete && behind.reward) throw new BooksIncomplete(behind.reward)
  verify('E7', isComplete, () => 'the reserve is not that of the wallets of the log')
  const cut = (isDemo ? entry.time : day.due).getTime()
  for (const chain of ['payment', 'reward'] as const) {
    const name = `${chain}Block` as const
    const [block, was] = [entry[name], before?.[name]]
    if (!block) continue
    verify('E6', !was || was.number <= block.number, () => `${name} falls`)
    const age = cut - block.time.getTime()
    // Blocks are agreed on, so an older one says that its chain halted or was not read, and nothing about the books.
    if (age > DAY)
      throw new BooksIncomplete(behind[chain] ?? `the ${chain} chain has no final block of the 24 hours before 09:00 UTC`)
    verify('E6', age >= 0, () => `${name} ${block.number} is not from before 09:00 UTC`)
  }
}

function checkReceived(log: PublishedLog, entry: EntryOf<'books'>): void {
  const names = ['counted', 'review', 'refunded', 'ignored', 'orphaned'] as const
  for (const name of names)
    verify('E2', entry[name] === log.sums[name], () => `${name}: the entries say ${log.sums[name]}, the rows ${entry[name]}`)
  verify('E2', entry.received === names.reduce((sum, name) => sum + entry[name], 0n), () => 'received is another sum')
  verify('E2', entry.returned === log.returned, () => `returned: the entries say ${log.returned}, the rows ${entry.returned}`)
  verify('E2', log.falseDeposits.length === 0, () => log.falseDeposits[0]!)
  for (const group of log.groups.values()) checkPrice(log, group)
}

function checkPrice(log: PublishedLog, group: PublishedGroup): void {
  if (group.price === undefined || group.deposits.size === 0) return
  const deposits = [...group.deposits.values()]
  const list = log.settingAt('price', group.priced)
  const received = deposits.reduce((sum, { amount }) => sum + amount, 0n)
  const size = BigInt(group.count)
  const where = () => `group ${group.id}: received ${received} for ${size} nodes`
  verify('E2', list !== undefined, () => `${where()}, and no price was in force`)
  if (deposits.every(({ decision, reason }) => decision === 'counted' && reason === 'matched')) {
    verify('E2', group.price === list && received === size * group.price, () => `${where()} at ${list}`)
    const isInTime = deposits.every(({ firstMined }) => firstMined - DAY <= group.priced && group.priced <= firstMined + MINUTE)
    verify('E2', isInTime, () => `${where()}, at a price of another time`)
  } else if (!group.causes.has('gift') && !group.causes.has('unpaid'))
    verify('E2', 2n * received >= size * list!, () => `${where()}, less than half of the price`)
}
