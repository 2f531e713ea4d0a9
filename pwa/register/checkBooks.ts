import { DAY, MINUTE } from '#shared/dates.ts'
import type { LogState } from './LogState.ts'
import { type At, type Group, isOrphaned, receivedOf, sizeOf, transferId } from './logTypes.ts'

const decisions = ['counted', 'review', 'refunded', 'ignored', 'orphaned'] as const

/** E2, E4, E5, E6 and E7 at books, as far as the log tells. */
export function checkBooks(log: LogState, entry: At<'books'>): void {
  const { lastBooks: before, lastDay: day } = log
  const isNext = day !== undefined && entry.day === day.day && before?.day !== entry.day
  log.check('days', isNext, 'books that do not name the last day, or no new day')
  log.check('days', !before || entry.time > before.time, 'books that are not later than the ones before')
  if (!day) return
  checkReceived(log, entry)
  checkOwed(log, entry, day.earned)
  checkBlocks(log, entry, day.due)
  checkCredits(log)
}

/** E2: USDT by decision, refunds, dust, and what each group was paid. */
function checkReceived(log: LogState, entry: At<'books'>): void {
  for (const name of decisions)
    log.check('E2', entry[name] === log.received[name], () => `${name}: the entries say ${log.received[name]}`)
  const sum = decisions.reduce((total, name) => total + entry[name], 0n)
  log.check('E2', entry.received === sum, 'received is another sum')
  log.check('E2', entry.returned === log.returned, () => `returned: the entries say ${log.returned}`)
  for (const [refund, uses] of log.refunds) log.check('E2', uses === 1, `refund ${refund} is used twice`)
  // What no entry and no price since the last books touches was checked there.
  for (const deposit of log.isRepriced ? log.deposits.values() : log.dirtyDeposits) {
    const { decision, reason, amount, returned, mined } = deposit
    const at = (why: string) => () => `${transferId(deposit.transfer)}: ${why}`
    if (decision === 'refunded') log.check('E2', 2n * returned! >= amount, at('less than half was returned'))
    if (decision !== 'ignored' || reason !== 'dust') continue
    const price = log.settings.price.at(mined!)
    log.check('E2', price && amount < price.value, at('ignored as dust, but not below the price'))
  }
  for (const group of log.isRepriced ? log.groups.values() : log.dirtyGroups) checkPrice(log, group)
  log.dirtyGroups.clear()
  log.dirtyDeposits.clear()
  log.isRepriced = false
}

function checkPrice(log: LogState, group: Group): void {
  const { terms, current, causes } = group
  if (!terms || current.size === 0) return
  const check = (condition: boolean, why: string) => log.check('E2', condition, `group ${group.id}: ${why}`)
  const list = log.settings.price.at(terms.priced)
  if (!list) {
    check(false, 'no price was in force')
    return
  }
  const deposits = [...current.values()]
  const [received, size] = [receivedOf(group), BigInt(sizeOf(group.numbers))]
  if (deposits.every(({ decision, reason }) => decision === 'counted' && reason === 'matched')) {
    const isInFull = terms.price === list.value && received === size * terms.price
    check(isInFull, `received ${received} for ${size} nodes at ${list.value}`)
    for (const { firstMined } of deposits) {
      const delay = firstMined!.getTime() - terms.priced.getTime()
      check(delay <= DAY && delay >= -MINUTE, 'a price agreed at another time than the payment')
    }
  } else if (!causes.has('gift') && !causes.has('unpaid'))
    check(2n * received >= size * list.value, `received ${received}, less than half of ${size} nodes at ${list.value}`)
}

/** E5. */
function checkOwed(log: LogState, entry: At<'books'>, earned: bigint): void {
  const { net, fees } = log.completed
  log.check('E5', entry.earned === earned, 'earned is not that of the day')
  const isCompleted = entry.completed.net === net && entry.completed.fees === fees
  log.check('E5', isCompleted, () => `completed: the entries say ${net} ${fees}`)
  log.check('E5', entry.open === log.open, () => `open: the entries say ${log.open}`)
  log.check('E5', entry.owed === entry.balances + entry.open, 'owed is not balances + open')
  log.check('E5', entry.earned + entry.debts === entry.owed + net + fees, 'earned + debts is not owed + completed')
}

/** E6 and E7, without the chains. */
function checkBlocks(log: LogState, entry: At<'books'>, due: Date): void {
  const sorted = (role: 'deposit' | 'wallet') => [...log.addresses[role].keys()].toSorted().join()
  log.check('E6', (entry.addresses ?? []).join() === sorted('deposit'), 'other addresses than those of role deposit')
  const wallets = (entry.reserve ?? []).map(({ address }) => address).join()
  log.check('E7', wallets === sorted('wallet'), 'other wallets than those of role wallet')
  const cut = (log.genesis.clock === 'real' ? due : entry.time).getTime()
  for (const name of ['paymentBlock', 'rewardBlock'] as const) {
    const [block, was] = [entry[name], log.lastBooks?.[name]]
    log.check('E6', block || !was, `${name} was withdrawn`)
    if (!block) continue
    log.check('E6', !was || was.number <= block.number, `${name} falls`)
    const age = cut - block.time.getTime()
    log.check('E6', age >= 0 && age <= DAY, `${name} is not of the 24 hours before`)
  }
}

/** E4: a number that was frozen, and had no orphaned deposit at the previous books, is credited by now. */
function checkCredits(log: LogState): void {
  for (const missed of log.dueCredits)
    log.check('E4', !log.missed.has(missed), `day and number ${missed}: frozen, thawed, and not credited`)
  log.dueCredits = [...log.missed].filter(([, group]) => !isOrphaned(group)).map(([missed]) => missed)
}
