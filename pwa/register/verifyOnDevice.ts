import type { PublicConfig } from '#shared/contract/settings.ts'
import { DAY } from '#shared/dates.ts'
import { dayBefore } from '#shared/rewardTime.ts'
import { toBase64 } from '#shared/register/bytes.ts'
import { type Hex, numbers as numbersForm } from '#shared/register/values.ts'
import { connectChains } from './connectChains.ts'
import { raiseAlarm, readOwn, readPublicReport, readSeen, storeOwn, storePublicReport, storeSeen } from './deviceMemory.ts'
import type { LogState } from './LogState.ts'
import { collectReceipts, type DayAnswer, findDays, openerOfAnswers, readDay, readPromises } from './ownAnswers.ts'
import { RegisterFiles } from './RegisterFiles.ts'
import { OWN_DAYS } from './Account.ts'
import type { AccountFacts } from './AccountFacts.ts'
import { type BookFigures, failuresOf, type OwnFigures, type StoredReport, ticksOf } from './storedReport.ts'
import { NotPublished, Unavailable } from './Report.ts'
import { readCheckpoint } from './signatures.ts'
import { type Verified, verifyRegister } from './verifyRegister.ts'

export type OwnDays = Map<string, DayAnswer>

export interface Person {
  id: string
  email: string
  /** Wallets that the person uses. */
  wallets: readonly Hex[]
}

export interface DeviceCheck {
  config: PublicConfig
  person: Person | null
  /** Throws once the person's account is no longer the one of the session. */
  ensureSameAccount: () => void
  onProgress: (share: number) => void
}

export interface DeviceResult {
  verified: Verified
  stored: StoredReport
  /** What the site told of the account, by day; the newest first. */
  days: OwnDays
  receipts: readonly string[]
}

/** Verifies everything, remembers what was seen, and raises the alarm if a tick fails. */
export async function verifyOnDevice({ config, person, ensureSameAccount, onProgress }: DeviceCheck): Promise<DeviceResult> {
  const days: OwnDays = person ? await readOwnDays(ensureSameAccount) : new Map()
  const receipts = person ? await collectReceipts(person.id, ensureSameAccount) : []
  const [newest] = days.values()
  const facts = person && describeAccount(person, { days, receipts })
  const verified = await verifyRegister({
    files: new RegisterFiles(),
    chains: await connectChains(config),
    now: new Date(),
    host: location.host,
    seen: readSeen(),
    genesis: readPromises(receipts, '').genesis,
    account: facts ?? undefined,
    onProgress,
  })
  if (person) ensureSameAccount()
  const failures = failuresOf(verified.report)
  const isLost = !verified.report.isPublished
  if (isLost && (failures.length === 0 || config.demo)) throw new NotPublished('nothing has been published yet')
  if (failures.length === 0 && !verified.seen) throw new Unavailable('the register could not be read to its end')
  if (failures.length > 0) raiseAlarm({ at: new Date().toISOString(), failures })
  else if (verified.seen) storeSeen(verified.seen)
  const before = person ? readOwn(person.id).report : readPublicReport()
  const stored: StoredReport = {
    at: new Date().toISOString(),
    ticks: ticksOf(verified.report),
    // What the device found while the site still had its register is shown beside the failure.
    books: isLost ? (before?.books ?? null) : booksOf(verified.log),
    own: isLost ? (before?.own ?? null) : person && newest ? ownFigures(verified, newest.books?.balance ?? null, receipts) : null,
  }
  if (person) keepOwn(person, stored)
  else storePublicReport(stored)
  return { verified, stored, days, receipts }
}

function keepOwn(person: Person, stored: StoredReport): void {
  const { own } = stored
  const isSound = stored.ticks.every(([, { outcome }]) => outcome !== 'failed')
  const checked = isSound && own ? { day: own.day, nodes: own.nodes, reward: own.reward } : readOwn(person.id).checked
  storeOwn(person.id, { report: stored, checked })
}

/** From the newest day in the register backward. */
async function readOwnDays(ensureSameAccount: () => void): Promise<OwnDays> {
  const days: OwnDays = new Map()
  const range = await findDays()
  ensureSameAccount()
  let known = -1
  for (let day = range?.last; range && day && day >= range.first && days.size < OWN_DAYS; day = dayBefore(day)) {
    const answer = await readDay(day, known)
    ensureSameAccount()
    days.set(day, answer)
    // The entries of earlier days are among those of the newest.
    known = Math.max(known, answer.entries.at(-1)?.index ?? -1)
  }
  return days
}

function describeAccount(person: Person, { days, receipts }: { days: OwnDays; receipts: readonly string[] }): AccountFacts {
  const [newest] = days.values()
  return {
    opener: openerOfAnswers(days),
    email: person.email,
    receipts,
    messages: readOwn(person.id).messages,
    wallets: person.wallets,
    numbers: newest?.numbers ? numbersForm.read(newest.numbers) : [],
    books: newest?.books ?? null,
  }
}

function booksOf({ lastBooks: books, lastDay, days, genesis, genesisHash, addresses }: LogState): BookFigures | null {
  if (!books || !lastDay || !genesisHash) return null
  const [anchor] = addresses.anchor.values()
  return {
    day: books.day,
    days: days.length,
    supply: lastDay.supply,
    sold: lastDay.owned,
    active: lastDay.active,
    rate: String(lastDay.rate),
    earned: String(books.earned),
    paidOut: String(books.completed.net + books.completed.fees),
    owed: String(books.owed),
    reserve: books.reserve && String(books.reserve.reduce((sum, { amount }) => sum + amount, 0n)),
    received: String(books.received),
    notCounted: String(books.received - books.counted),
    anchor: anchor ? { chainId: anchor.chain, address: anchor.address } : null,
    isDemo: genesis.clock === 'demo',
    genesis: toBase64(genesisHash),
  }
}

function ownFigures({ log, earned }: Verified, balance: bigint | null, receipts: readonly string[]): OwnFigures | null {
  if (!log.lastDay) return null
  const active = [...earned.keys()].filter((number) => log.leaves.state(number) === 'active').length
  return {
    day: log.lastDay.day,
    nodes: earned.size,
    reward: String(log.lastDay.rate * BigInt(active)),
    earned: String([...earned.values()].reduce((sum, one) => sum + one, 0n)),
    balance: balance === null ? null : String(balance),
    withdrawals: receipts.filter((note) => note.startsWith('receipt/withdrawal/')).length,
  }
}

/** Bytes that a full verification reads, roughly; 0 where nothing has been published. */
export async function estimateBytes(
  files: RegisterFiles,
  { supply, productNow }: { supply: number; productNow: Date },
): Promise<number> {
  const note = await files.checkpoint().catch((error: unknown) => {
    if (error instanceof NotPublished) return undefined
    throw error
  })
  if (note === undefined) return 0
  const { size } = readCheckpoint(note)
  const [, begun = ''] = /\ntime (\S+)\n/.exec(await files.genesis()) ?? []
  const days = Math.max(1, (productNow.getTime() - Date.parse(begun)) / DAY)
  return size * 600 + days * supply * 52
}
