import { equalBytes, toBase64 } from '#shared/register/bytes.ts'
import { type Checkpoint, MAX_CHECKPOINT } from '#shared/register/checkpoint.ts'
import { FormatError } from '#shared/register/FormatError.ts'
import { BLOCK_SIZE, GrowingTree, leafHash, rootOf, sha256 } from '#shared/register/tree.ts'
import { Account } from './Account.ts'
import type { AccountFacts } from './AccountFacts.ts'
import { checkAnchors, checkTimes } from './anchors.ts'
import type { Chains } from './Chains.ts'
import { checkChains } from './checkChains.ts'
import type { LogState } from './LogState.ts'
import { RegisterLog } from './RegisterLog.ts'
import { readNote } from './readNote.ts'
import type { RegisterFiles } from './RegisterFiles.ts'
import { accountTicks, publicTicks, Report, Stop, Unavailable } from './Report.ts'
import type { SeenLog } from './seenLog.ts'
import { isOfSite, openNote, readCheckpoint } from './signatures.ts'

export interface VerifyOptions {
  files: RegisterFiles
  chains: Chains
  now: Date
  /** The site whose register it must be. */
  host: string
  /** In base64, from a receipt. */
  genesis?: string | undefined
  /** The log that this device saw last. */
  seen?: SeenLog | null
  account?: AccountFacts | undefined
  /** Called with the share that is done, from 0 to 1. */
  onProgress?: ((share: number) => void) | undefined
}

export interface Verified {
  report: Report
  log: LogState
  /** Number → earned, of the account's nodes. */
  earned: ReadonlyMap<number, bigint>
  /** What the device remembers; null unless the log was read to its end. */
  seen: SeenLog | null
  /** The signed checkpoint and the leaf hashes of its entries, for proofs. */
  note: string
  hashes: readonly Uint8Array[]
}

/** Verifies the whole register, and one account in it. */
export async function verifyRegister(options: VerifyOptions): Promise<Verified> {
  const verified = await verifyOnce(options)
  // An anchor may have become final after the checkpoint was read; then a newer checkpoint covers it.
  return verified.report.isBehind ? verifyOnce(options) : verified
}

async function verifyOnce(options: VerifyOptions): Promise<Verified> {
  const { files, chains, now, seen = null } = options
  const report = new Report()
  const account = options.account && (await report.part('receipts', () => new Account(report, options.account!)))
  const log = new RegisterLog({
    report,
    watchers: account ? [account] : [],
    readDay: async (day, size) => ({ leaves: await files.leaves(day, size), hashes: await files.dayHashes(day, size) }),
  })
  const read = await readLog(log, options)
  if (read) {
    log.close()
    await checkSignature(log, read, options)
    report.ok('entries', `${read.hashes.length} entries are well-formed, in order, and have the checkpoint's root`)
    checkGrowth(log, read.hashes, seen)
    checkTimes(log, { anchors: await checkAnchors(log, { chains, hashes: read.hashes }), now })
    await checkChains(log, chains)
    await checkRelease(log, files)
    await account?.finish(log, { chains, now })
    finishEquations(log)
  }
  for (const tick of options.account ? [...publicTicks, ...accountTicks] : publicTicks)
    if (report.ticks.has(tick)) continue
    else if (report.isPublished) report.set(tick, 'unknown', 'not checked: the log could not be read to its end')
    else report.set(tick, 'nothing', 'nothing has been published yet')
  return {
    report,
    log,
    earned: account?.earned ?? new Map(),
    seen: read && log.genesisHash ? rememberLog(log, read.hashes) : null,
    note: read?.note ?? '',
    hashes: read?.hashes ?? [],
  }
}

interface ReadLog {
  note: string
  checkpoint: Checkpoint
  hashes: Uint8Array[]
}

/** Reads all entries. Undefined if they could not be read to the end. */
async function readLog(log: RegisterLog, options: VerifyOptions): Promise<ReadLog | undefined> {
  const { report } = log
  const { files, onProgress } = options
  try {
    const note = await report.part('signature', () => readNote(report, options))
    const checkpoint = note && (await report.part('signature', () => readCheckpoint(note)))
    if (!checkpoint) return undefined
    if (!report.check('entries', checkpoint.size > 0 && checkpoint.size <= 10_000_000, `a log of ${checkpoint.size} entries`))
      return undefined
    return await report.part('entries', async () => {
      const hashes = await files.hashes('log/hashes.bin', { to: checkpoint.size })
      const blocks = await files.hashes('log/blocks.bin', { to: Math.floor(checkpoint.size / BLOCK_SIZE) })
      report.check('entries', equalBytes(rootOf(hashes), checkpoint.root), "log/hashes.bin does not have the checkpoint's root")
      for (let first = 0; first < hashes.length; first += BLOCK_SIZE) {
        await readBlock(log, { files, first, hashes, blockHash: blocks[first / BLOCK_SIZE] })
        onProgress?.((first + BLOCK_SIZE) / hashes.length)
      }
      return { note, checkpoint, hashes }
    })
  } catch (error) {
    if (error instanceof Stop) return undefined
    throw error
  }
}

interface LogBlock {
  files: RegisterFiles
  /** The index of its first entry. */
  first: number
  hashes: readonly Uint8Array[]
  blockHash: Uint8Array | undefined
}

async function readBlock(log: RegisterLog, { files, first, hashes, blockHash }: LogBlock): Promise<void> {
  const { report } = log
  const texts = await files.entries(first / BLOCK_SIZE, Math.min(BLOCK_SIZE, hashes.length - first))
  const found = texts.map((text) => leafHash(bytesOf(text)))
  if (texts.length === BLOCK_SIZE) {
    const isSame = blockHash !== undefined && equalBytes(blockHash, rootOf(found))
    report.check('entries', isSame, `log/blocks.bin: block ${first / BLOCK_SIZE} has another hash`)
  }
  for (const [index, text] of texts.entries()) {
    const isSame = equalBytes(found[index]!, hashes[first + index]!)
    report.check('entries', isSame, `entry ${first + index}: log/hashes.bin has another hash`, text)
    await log.add(text, found[index]!)
  }
}

/** One byte for each character. */
const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))

/** The tick `signature`, once the log has told which key is in force. */
async function checkSignature(
  log: LogState & { logKeyAt(size: number): Uint8Array | undefined },
  read: ReadLog,
  { host, genesis: pinned }: VerifyOptions,
): Promise<void> {
  const { report, genesis, genesisHash } = log
  const { note, checkpoint } = read
  const hash = genesisHash && toBase64(genesisHash)
  report.check('signature', isOfSite(genesis, host), `the register of ${genesis.origin}, not of ${host}/register`)
  report.check('signature', !pinned || hash === pinned, `entry 0 has the hash ${hash}, not that of your receipts`)
  report.check('signature', checkpoint.origin === genesis.origin, 'a checkpoint of another origin', note)
  const key = log.logKeyAt(checkpoint.size)
  if (key) {
    const opened = await report.part('signature', () =>
      openNote(note, { keys: [{ name: genesis.origin, key }], maxBytes: MAX_CHECKPOINT }),
    )
    report.check('signature', opened && opened.signedBy.size > 0, 'not signed by the log key in force', note)
  }
  report.ok('signature', `the checkpoint of ${checkpoint.size} entries is signed by the key of the log`)
}

function checkGrowth({ report, genesis, genesisHash }: LogState, hashes: readonly Uint8Array[], seen: SeenLog | null): void {
  // A demo that was installed anew has another log; its days and times prove nothing anyway.
  const isOtherDemo = genesis.clock === 'demo' && genesisHash && seen?.genesis !== toBase64(genesisHash)
  if (!seen || isOtherDemo) return report.set('growth', 'nothing', 'no earlier visit is remembered')
  const isSameLog = genesisHash && seen.genesis === toBase64(genesisHash) && seen.size <= hashes.length
  const root = isSameLog ? toBase64(rootOf(hashes.slice(0, seen.size))) : undefined
  const what = `the log of ${seen.size} entries that this device saw`
  report.check('growth', root === seen.root, `${what} is not the beginning of this one`, JSON.stringify(seen))
  report.ok('growth', `${what} is the beginning of this one`)
}

function rememberLog(log: RegisterLog, hashes: readonly Uint8Array[]): SeenLog {
  const tree = new GrowingTree()
  for (const hash of hashes) tree.append(hash)
  return {
    genesis: toBase64(log.genesisHash!),
    size: tree.size,
    root: toBase64(tree.root()),
    roots: tree.state.roots.map(toBase64),
    logKey: toBase64(log.logKeys.at(-1)!.key),
  }
}

/** Whether the log names the build that this site says it serves. It cannot tell which code runs here. */
async function checkRelease({ report, releases }: LogState, files: RegisterFiles): Promise<void> {
  if (releases.length === 0) return report.set('release', 'nothing', 'the log names no release')
  try {
    const build = sha256(await files.build())
    const isNamed = releases.some(({ page }) => equalBytes(page, build))
    report.set('release', isNamed ? 'ok' : 'nothing', `the log ${isNamed ? 'names' : 'does not name'} the build of this page`)
  } catch (error) {
    if (!(error instanceof Unavailable || error instanceof FormatError)) throw error
    report.set('release', 'nothing', 'the site does not list its build')
  }
}

function finishEquations({ report, days, books }: LogState): void {
  const texts = {
    E1: `${days.length} days: one leaf for each number, and the published counts`,
    E2: `${days.length} days: each owned node belongs to one purchase or grant, and USDT add up`,
    E3: `${days.length} days: bonus nodes within the rule`,
    E4: `${days.length} days: each active node earned the rate, no other earned anything`,
    E5: `${books.length} books: earned + debts = owed + withdrawn`,
    E8: `${days.length} days: kinds stay, nothing goes back, each state follows from its purchase`,
  } as const
  for (const [tick, text] of Object.entries(texts) as [keyof typeof texts, string][])
    if (days.length > 0) report.ok(tick, text)
    else report.set(tick, 'nothing', 'no day has been paid yet')
}
