import { bytesToHex } from '@noble/hashes/utils.js'
import { equalBytes, fromBase64, toBase64, utf8 } from '#shared/register/bytes.ts'
import { MAX_CHECKPOINT } from '#shared/register/checkpoint.ts'
import { blockRange, hashBlock } from '#shared/register/dayTree.ts'
import { parseEntry } from '#shared/register/entries.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { LEAF_SIZE, type NodeLeaf, parseLeaf } from '#shared/register/nodeLeaf.ts'
import { emailHash, nodeCommitment } from '#shared/register/secrets.ts'
import { BLOCK_SIZE, leafHash, rootOf } from '#shared/register/tree.ts'
import { numbers as numbersForm, type Range, rangesOf } from '#shared/register/values.ts'
import { LogHead } from './LogHead.ts'
import { each } from './logTypes.ts'
import { readNote } from './readNote.ts'
import type { RegisterFiles } from './RegisterFiles.ts'
import { Report } from './Report.ts'
import type { OwnNodes, SeenLog } from './seenLog.ts'
import { isOfSite, isSuccession, openNote, readCheckpoint } from './signatures.ts'

/** What the site tells the account of one day. All of it is checked. */
export interface DayAnswer {
  /** In base64. */
  secret: string
  numbers: string | null
  entries: readonly { index: number; text: string }[]
}

export interface OwnCheckOptions {
  files: RegisterFiles
  /** The day to check. */
  day: string
  /** The site whose register it must be. */
  host: string
  answer: DayAnswer
  email: string
  /** The genesis hash of the account's receipts, if it has one. */
  genesis?: string | undefined
  /** Numbers of the account's receipts, which the register must have on that day. */
  promised?: readonly Range[]
  seen: SeenLog | null
  /** What was checked last. */
  before: OwnNodes | null
}

export interface OwnCheck {
  report: Report
  /** Null unless everything was read and nothing failed. */
  own: OwnNodes | null
  seen: SeenLog | null
}

/**
 * Verifies the account's nodes on one day with few bytes: the checkpoint, that the log only grew, the day's entry, and the blocks
 * of leaves that have the nodes. What concerns everybody, as the books, is checked by `verifyRegister`.
 */
export async function checkOwnNodes(options: OwnCheckOptions): Promise<OwnCheck> {
  const report = new Report()
  const result = await report.part('entries', () => check(report, options))
  const isSound = report.named('failed').length === 0 && report.named('unknown').length === 0
  return { report, own: (isSound && result?.own) || null, seen: (isSound && result?.seen) || null }
}

async function check(report: Report, options: OwnCheckOptions): Promise<{ own: OwnNodes; seen: SeenLog } | undefined> {
  const { files, answer, day } = options
  const note = await readNote(report, options)
  const checkpoint = note && (await report.part('signature', () => readCheckpoint(note)))
  if (!checkpoint) return undefined
  const genesisText = await files.genesis()
  const genesis = toBase64(leafHash(utf8(genesisText)))
  const seen = forgetDemo(options.seen, genesis, genesisText)
  const head = await LogHead.open(files, { report, checkpoint, seen })
  if (!head) return undefined
  const pinned = options.genesis ?? seen?.genesis
  const isOurs = pinned === undefined ? await head.has(0, genesisText) : pinned === genesis
  if (!report.check('signature', isOurs, `entry 0 has the hash ${genesis}, not that of your receipts`, genesisText))
    return undefined
  const logKey = await report.part('signature', () => followKeys(report, head, { ...options, seen, genesisText }))
  if (!logKey) return undefined
  await report.part('signature', () => checkSignature(report, note, { origin: checkpoint.origin, logKey }))

  const entry = findDay(answer, day)
  const isInLog = entry !== undefined && (await head.has(entry.index, entry.text))
  if (!report.check('nodes', isInLog, `the log does not have the entry of ${day} that this site shows you`, entry?.text))
    return undefined
  const own = entry && (await checkLeaves(report, entry.parsed, options))
  if (!own) return undefined
  return { own: { ...own, dayIndex: entry.index }, seen: head.remember({ genesis, root: checkpoint.root, logKey }) }
}

/** A demo that was installed anew has another log; its days and times prove nothing anyway. */
const forgetDemo = (seen: SeenLog | null, genesis: string, text: string): SeenLog | null =>
  seen && seen.genesis !== genesis && text.includes('\nclock demo\n') ? null : seen

/** The log key in force: that of the first entry or of the last visit, and then each that the log has and the one before signed. */
async function followKeys(
  report: Report,
  head: LogHead,
  { answer, host, seen, genesisText }: Pick<OwnCheckOptions, 'answer' | 'host' | 'seen'> & { genesisText: string },
): Promise<Uint8Array | undefined> {
  const genesis = parseEntry(genesisText)
  if (genesis.kind !== 'genesis') {
    report.fail('signature', 'the first entry is no genesis', genesisText)
    return undefined
  }
  const why = `the register of ${genesis.origin}, not of ${host}/register`
  if (!report.check('signature', isOfSite(genesis, host), why, genesisText)) return undefined
  const genesisHash = leafHash(utf8(genesisText))
  const known = seen?.logKey ? fromBase64(seen.logKey) : undefined
  let inForce = known ?? genesis.logKey
  for (const { index, text } of answer.entries) {
    const change = text.startsWith('key/v1\n') ? parseEntry(text) : undefined
    if (change?.kind !== 'key' || change.use !== 'log' || (known && index < seen!.size)) continue
    const isProven = (await head.has(index, text)) && (await isSuccession(change, { text, genesisHash, inForce }))
    if (!report.check('signature', isProven, `the log key in force did not sign its successor in entry ${index}`, text))
      return undefined
    inForce = change.new!
  }
  return inForce
}

async function checkSignature(
  report: Report,
  note: string,
  { origin, logKey }: { origin: string; logKey: Uint8Array },
): Promise<void> {
  const { signedBy } = await openNote(note, { keys: [{ name: origin, key: logKey }], maxBytes: MAX_CHECKPOINT })
  if (report.check('signature', signedBy.size > 0, 'not signed by the log key in force', note))
    report.ok('signature', 'the checkpoint is signed by the key of the log')
}

function findDay(answer: DayAnswer, day: string): { index: number; text: string; parsed: EntryOf<'day'> } | undefined {
  for (const { index, text } of answer.entries) {
    if (!text.startsWith('day/v1\n')) continue
    const parsed = parseEntry(text)
    if (parsed.kind === 'day' && parsed.day === day) return { index, text, parsed }
  }
  return undefined
}

/** The ticks `E1` (the day's block hashes), `nodes` and `rewards`. */
async function checkLeaves(
  report: Report,
  entry: EntryOf<'day'>,
  { files, answer, email, before, promised = [] }: OwnCheckOptions,
): Promise<Omit<OwnNodes, 'dayIndex'> | undefined> {
  const { day, nodes, rate } = entry
  const blockHashes = await files.dayHashes(day, nodes.size)
  const isRoot = equalBytes(rootOf(blockHashes), nodes.root)
  if (!report.check('E1', isRoot, `day ${day}: the block hashes do not have the root of the entry`)) return undefined
  const earnedBefore = earnedOf(before)
  const shown = answer.numbers === null ? [] : numbersForm.read(answer.numbers)
  const mine = [...new Set([...each(shown), ...each(promised), ...earnedBefore.keys()])].toSorted((a, b) => a - b)
  const leaves = await readLeaves(report, { files, day, size: nodes.size, blockHashes, mine })
  if (!leaves) return undefined
  const secret = fromBase64(answer.secret)
  const owner = emailHash(email.trim().normalize('NFC').toLowerCase())
  const earned = new Map<number, bigint>()
  let active = 0
  for (const number of mine) {
    const found = leaves.get(number)
    const at = (why: string) => `day ${day}, number ${number}: ${why}`
    const evidence = found ? bytesToHex(found.raw) : 'no leaf'
    const isOwn =
      found !== undefined &&
      secret?.length === 32 &&
      equalBytes(nodeCommitment({ secret, day, number, emailHash: owner }), found.leaf.commitment)
    if (!report.check('nodes', isOwn, at('the leaf does not open to this account'), evidence)) continue
    const { leaf } = found!
    const more = leaf.earned - (earnedBefore.get(number) ?? 0n)
    const due = leaf.state === 'active' ? rate : 0n
    report.check('rewards', more >= due, at(`earned ${more} since ${before?.day ?? 'the first day'}, less than ${due}`), evidence)
    if (leaf.state === 'active') active++
    earned.set(number, leaf.earned)
  }
  if (mine.length === 0)
    for (const tick of ['nodes', 'rewards'] as const) report.set(tick, 'nothing', 'the account has no node in the register yet')
  report.ok('nodes', `${mine.length} nodes are in the register of ${day} and open to this e-mail`)
  report.ok('rewards', `each active node earned the rate of ${day}`)
  return { day, nodes: mine.length, reward: String(rate * BigInt(active)), earned: runsOf(earned) }
}

interface LeafReading {
  files: RegisterFiles
  day: string
  size: number
  blockHashes: readonly Uint8Array[]
  /** Rising. */
  mine: readonly number[]
}

/** Reads the blocks that have these numbers, neighboring ones with one request, all at once: a phone's connection takes its time for each. */
async function readLeaves(
  report: Report,
  { files, day, size, blockHashes, mine }: LeafReading,
): Promise<Map<number, { leaf: NodeLeaf; raw: Uint8Array }> | undefined> {
  const leaves = new Map<number, { leaf: NodeLeaf; raw: Uint8Array }>()
  const blocks = [...new Set(mine.filter((number) => number <= size).map((number) => blockRange(number, size).block + 1))]
  const wanted = new Set(mine)
  const parts = await Promise.all(
    rangesOf(blocks).map(async ({ first, last }) => {
      const start = blockRange((first - 1) * BLOCK_SIZE + 1, size).start
      const end = blockRange((last - 1) * BLOCK_SIZE + 1, size).end
      return { first, last, start, bytes: await files.leaves(day, size, { start, end }) }
    }),
  )
  for (const { first, last, start, bytes } of parts) {
    for (let block = first - 1; block < last; block++) {
      const range = blockRange(block * BLOCK_SIZE + 1, size)
      const own = bytes.subarray(range.start - start, range.end - start)
      const isSame = equalBytes(hashBlock(own), blockHashes[block] ?? new Uint8Array())
      if (!report.check('E1', isSame, `day ${day}, block ${block}: the leaves do not have its hash`)) return undefined
      for (let at = 0; at < own.length; at += LEAF_SIZE) {
        const number = block * BLOCK_SIZE + at / LEAF_SIZE + 1
        const raw = own.subarray(at, at + LEAF_SIZE)
        if (wanted.has(number)) leaves.set(number, { leaf: parseLeaf(raw), raw })
      }
    }
  }
  return leaves
}

/** The numbers that have earned the same as ranges, each with its amount. */
function runsOf(earned: ReadonlyMap<number, bigint>): OwnNodes['earned'] {
  const byAmount = new Map<string, number[]>()
  for (const [number, amount] of earned) byAmount.set(String(amount), [...(byAmount.get(String(amount)) ?? []), number])
  return [...byAmount].map(([amount, list]) => [numbersForm.write(rangesOf(list)), amount])
}

const earnedOf = (own: OwnNodes | null): Map<number, bigint> =>
  new Map(
    (own?.earned ?? []).flatMap(([text, amount]) => [...each(numbersForm.read(text))].map((number) => [number, BigInt(amount)])),
  )
