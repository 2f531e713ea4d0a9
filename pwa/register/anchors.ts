import { bytesToHex } from '@noble/hashes/utils.js'
import { HOUR } from '#shared/dates.ts'
import { isAnchorCode } from '#shared/register/anchorCode.ts'
import { equalBytes } from '#shared/register/bytes.ts'
import { demand } from '#shared/register/FormatError.ts'
import { GrowingTree } from '#shared/register/tree.ts'
import type { Chains } from './Chains.ts'
import type { LogState } from './LogState.ts'
import type { Report } from './Report.ts'
import { abiWord, answered, integerOf, type Rpc } from './Rpc.ts'

export interface Anchor {
  size: number
  time: Date
  root: Uint8Array
}

const selectors = { publisher: '8c72c54e', count: '06661abd', since: 'a570b829' } as const
const MAX_ANCHORS = 100_000
const PAGE = 1_000
const MAX_AGE = 36 * HOUR

/** Tick `anchors`. @returns all anchors, or null where they are not all known. */
export async function checkAnchors(
  log: LogState,
  { chains, hashes }: { chains: Chains; hashes: readonly Uint8Array[] },
): Promise<Anchor[] | null> {
  const { report } = log
  const contracts = [...log.addresses.anchor.values()]
  if (contracts.length === 0) {
    report.set('anchors', 'nothing', 'not anchored: the log names no anchor contract')
    return []
  }
  const found: Anchor[] = []
  let isComplete = true
  for (const { chain, address } of contracts) {
    const anchors = await report.part('anchors', async () => {
      let longest: Anchor[] = []
      for (const rpc of chains.independent(chain)) {
        const those = await readAnchors(rpc, address)
        compareRoots(report, those, hashes)
        if (those.length > longest.length) longest = those
      }
      return longest
    })
    if (anchors) found.push(...anchors)
    else isComplete = false
  }
  if (!isComplete) return null
  if (found.length === 0) report.set('anchors', 'nothing', 'nothing is anchored yet')
  report.ok('anchors', `${found.length} anchored roots are roots of this log`)
  return found
}

async function readAnchors(rpc: Rpc, contract: string): Promise<Anchor[]> {
  const at = 'finalized'
  const code = await rpc.code(contract, at)
  demand(code.length > 0, `there is no contract at ${contract}`)
  const publisher = (await rpc.call(contract, selectors.publisher, at)).subarray(12, 32)
  demand(isAnchorCode(code, publisher), `the contract at ${contract} has another code than RegisterAnchor.sol`)
  const total = await rpc.callForNumber(contract, selectors.count, at)
  demand(total <= MAX_ANCHORS, `${contract} has more than ${MAX_ANCHORS} anchors`)
  const anchors: Anchor[] = []
  while (anchors.length < total) {
    const page = parseAnchors(await rpc.call(contract, selectors.since + abiWord(anchors.length), at))
    demand(page.length > 0, `${contract} has fewer anchors than it counts`)
    for (const anchor of page) {
      demand(anchor.size > (anchors.at(-1)?.size ?? 0), `${contract} has anchors out of order`)
      anchors.push(anchor)
    }
  }
  return anchors
}

/** Decodes an answer of `since`. */
export function parseAnchors(bytes: Uint8Array): Anchor[] {
  const words = bytes.length / 32
  const wordAt = (index: number) => bytes.subarray(index * 32, (index + 1) * 32)
  answered(Number.isInteger(words) && words >= 2 && integerOf(wordAt(0)) === 32n && integerOf(wordAt(1)) <= PAGE, 'anchors')
  const total = Number(integerOf(wordAt(1)))
  answered(words === 2 + 3 * total, 'anchors')
  return Array.from({ length: total }, (_, index) => {
    const [size, seconds] = [integerOf(wordAt(2 + 3 * index)), integerOf(wordAt(3 + 3 * index))]
    answered(size < 1n << 53n && seconds < 1n << 43n, 'anchor')
    return { size: Number(size), time: new Date(Number(seconds) * 1_000), root: wordAt(4 + 3 * index) }
  })
}

function compareRoots(report: Report, anchors: readonly Anchor[], hashes: readonly Uint8Array[]): void {
  const tree = new GrowingTree()
  for (const { size, root } of anchors) {
    const evidence = bytesToHex(root)
    const isCovered = size <= hashes.length
    if (
      !report.check('anchors', isCovered, `the anchor of size ${size} is beyond this log of ${hashes.length} entries`, evidence)
    ) {
      report.isBehind = true
      return
    }
    while (tree.size < size) tree.append(hashes[tree.size]!)
    if (!report.check('anchors', equalBytes(tree.root(), root), `the anchor of size ${size} has another root`, evidence)) return
  }
}

/** When an entry was first covered by an anchor; Infinity if it was not. */
const coveredAt = (anchors: readonly Anchor[], index: number): number =>
  anchors.reduce((first, { size, time }) => (size > index ? Math.min(first, time.getTime()) : first), Infinity)

/** Ticks `fresh`, `days` and `notice`, as far as anchors and the clock decide them. */
export function checkTimes(log: LogState, { anchors, now }: { anchors: readonly Anchor[] | null; now: Date }): void {
  const { report, lastDay, lastBooks } = log
  if (!lastDay) {
    for (const tick of ['days', 'notice', 'fresh'] as const) report.set(tick, 'nothing', 'no day has been paid yet')
    return
  }
  if (anchors === null) {
    for (const tick of ['days', 'fresh'] as const) report.set(tick, 'unknown', 'the anchors are not known')
    if (log.rateChanges.length > 0) report.set('notice', 'unknown', 'the anchors are not known')
  } else if (log.addresses.anchor.size > 0) checkAnchoredTimes(log, anchors, now)
  else {
    for (const { day, index, booksIndex } of log.rateChanges)
      report.check('notice', booksIndex > index, `the rate of ${day} was not announced in earlier books`)
    const age = now.getTime() - (lastBooks?.time.getTime() ?? -Infinity)
    report.check('fresh', age < MAX_AGE, () => `the newest books are ${Math.floor(age / HOUR)} hours old`)
  }
  if (log.held && log.held.index > (lastBooks?.index ?? -1))
    report.fail('fresh', `the publisher holds the register back: equation ${log.held.subject} is false`)
  report.ok('days', `${log.days.length} days without a gap, from ${log.days[0]?.day} to ${lastDay.day}`)
  report.ok('notice', `${log.rateChanges.length} changes of the rate were announced before they held`)
  report.ok('fresh', `the newest books are of ${lastBooks?.day}`)
}

function checkAnchoredTimes(log: LogState, anchors: readonly Anchor[], now: Date): void {
  const { report } = log
  const namedAt = Math.min(...[...log.addresses.anchor.values()].map(({ index }) => index))
  const isReal = log.genesis.clock === 'real'
  const dated = isReal ? log.days.filter(({ index, isCaughtUp }) => index >= namedAt && !isCaughtUp) : []
  for (const { day, due, index } of dated) {
    const age = Math.min(coveredAt(anchors, index), now.getTime()) - due.getTime()
    report.check('days', age <= MAX_AGE, `day ${day} was not anchored within 36 hours`)
  }
  for (const { day, cut, index } of log.rateChanges) {
    const isAnnounced = coveredAt(anchors, index) <= cut.getTime()
    report.check('notice', isAnnounced, `the rate of ${day} was not announced by an anchor before it was due`)
  }
  const newest = log.books.findLast(({ index }) => coveredAt(anchors, index) < Infinity)
  const [first] = log.books
  if (!newest && first && now.getTime() - first.time.getTime() < MAX_AGE)
    return report.set('fresh', 'nothing', 'the first books are not anchored yet')
  const age = newest ? now.getTime() - coveredAt(anchors, newest.index) : Infinity
  const why = newest ? `of ${newest.day}, were anchored ${Math.floor(age / HOUR)} hours ago` : 'are none'
  report.check('fresh', age < MAX_AGE, `the newest anchored books ${why}`)
}
