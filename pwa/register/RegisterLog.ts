import { bytesToHex } from '@noble/hashes/utils.js'
import { MINUTE } from '#shared/dates.ts'
import { rewardInstant } from '#shared/rewardTime.ts'
import { equalBytes, toBase64 } from '#shared/register/bytes.ts'
import { parseEntry } from '#shared/register/entries.ts'
import type { Entry, EntryOf } from '#shared/register/entryForms.ts'
import { FormatError } from '#shared/register/FormatError.ts'
import { checkBooks } from './checkBooks.ts'
import { checkDay } from './checkDay.ts'
import { LogState } from './LogState.ts'
import type { At } from './logTypes.ts'
import { joinGroup, readDeposit, readPayout } from './payments.ts'
import { Stop } from './Report.ts'
import { isSuccession } from './signatures.ts'

/** Wallets that a books entry has room for. */
const MAX_WALLETS = 1_500

/** Reads the entries one after the other, and checks at each day and at each books entry what is true there (format.md §5, §6, §11). */
export class RegisterLog extends LogState {
  readonly #hashes = new Set<string>()
  /** Facts, then days with corrections before the last of them, then books. */
  #phase: 'facts' | 'days' | 'corrected' = 'facts'
  #latestPending = new Date(0)

  /** The tick has failed where this throws Stop. */
  async add(text: string, leafHash: Uint8Array): Promise<void> {
    this.index++
    this.text = text
    const id = bytesToHex(leafHash)
    this.check('entries', !this.#hashes.has(id), 'an entry that the log already has')
    this.#hashes.add(id)
    const entry = { ...this.#parse(text), index: this.index }
    this.#checkOrder(entry)
    if (this.index === 0) this.genesisHash = leafHash
    await this.#read(entry)
    for (const watcher of this.watchers) watcher.entry?.(entry, text)
  }

  #parse(text: string): Entry {
    try {
      return parseEntry(text)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      this.check('entries', false, error.message)
      throw new Stop()
    }
  }

  /** Everything between two books belongs to the later one, in its order, and is not later than it. */
  #checkOrder(entry: Entry): void {
    const isGenesis = entry.kind === 'genesis'
    const isPlaced = isGenesis === (this.index === 0)
    if (!this.check('entries', isPlaced, isGenesis ? 'a second genesis' : 'the first entry is no genesis')) throw new Stop()
    if (entry.kind === 'day') {
      this.check('entries', this.#phase !== 'corrected', 'a day after the last day of its snapshot')
      this.#phase = this.corrections.length > 0 ? 'corrected' : 'days'
      this.#await(entry.paid)
    } else if (entry.kind === 'books') {
      this.check('entries', this.#phase !== 'facts', 'books that follow no day')
      this.check('entries', this.corrections.length === 0, 'a correction that is not before a day')
      this.check('entries', this.#latestPending <= entry.time, 'a fact later than the books that contain it')
      this.#latestPending = new Date(0)
      this.#phase = 'facts'
    } else {
      const isCorrection = entry.kind === 'correction'
      const isInOrder = this.#phase === 'facts' || (isCorrection && this.#phase === 'days')
      this.check('entries', isInOrder, 'a fact after a day of its snapshot')
      const isBeforeDay = isCorrection || this.corrections.length === 0
      this.check('entries', isBeforeDay, 'a correction that is not directly before a day')
      this.#await(entry.time)
    }
  }

  #await(time: Date): void {
    if (time > this.#latestPending) this.#latestPending = time
  }

  async #read(entry: Entry & { index: number }): Promise<void> {
    switch (entry.kind) {
      case 'genesis':
        return this.#readGenesis(entry)
      case 'rate':
        return this.#readSetting(entry, entry.rate)
      case 'price':
        return this.#readSetting(entry, entry.price)
      case 'fee':
        return this.#readSetting(entry, entry.fee)
      case 'supply':
        return this.#readSetting(entry, BigInt(entry.supply))
      case 'address':
        return this.#readAddress(entry)
      case 'key':
        return this.#readKey(entry)
      case 'release':
        this.releases.push(entry)
        return
      case 'note':
        if (entry.topic === 'caught-up') this.caughtUp.add(entry.subject!)
        if (entry.topic === 'held') this.held = entry
        return
      case 'deposit':
        return readDeposit(this, entry)
      case 'payout':
        return readPayout(this, entry)
      case 'grant':
        joinGroup(this, entry, entry.cause)
        return
      case 'correction':
        this.corrections.push(entry)
        return
      case 'day':
        return checkDay(this, entry)
      case 'books':
        checkBooks(this, entry)
        this.books.push(entry)
        for (const watcher of this.watchers) watcher.books?.(entry)
    }
  }

  #readGenesis(entry: EntryOf<'genesis'>): void {
    this.genesis = entry
    this.logKeys.push({ since: 0, key: entry.logKey, isProven: true, text: this.text })
    this.receiptKeys.push({ key: entry.receiptKey, until: null })
    if (entry.anchor)
      this.addresses.anchor.set(anchorId(entry.anchor), {
        chain: entry.anchor.chainId,
        address: entry.anchor.address,
        index: 0,
      })
  }

  /** No backdating. */
  #readSetting(entry: At<'rate'> | At<'price'> | At<'fee'> | At<'supply'>, value: bigint): void {
    const { kind, from, index } = entry
    if (kind === 'rate' || kind === 'supply')
      this.check('entries', !this.lastDay || from > rewardInstant(this.lastDay.day), `a ${kind} from before the last day`)
    else {
      const earliest = this.lastBooks && this.lastBooks.time.getTime() - 10 * MINUTE
      this.check('entries', earliest === undefined || from.getTime() > earliest, `a ${kind} from before the last books`)
    }
    this.settings[kind].add({ from, value, index })
    if (kind === 'supply') this.largestSupply = Math.max(this.largestSupply, entry.supply)
    if (kind === 'price') this.isRepriced = true
    if (kind === 'fee') {
      const first = this.firstFee.get(value)
      if (!first || from < first) this.firstFee.set(value, from)
    }
  }

  #readAddress(entry: At<'address'>): void {
    const { role, chain, address, block, index } = entry
    if (role === 'anchor') {
      const id = anchorId({ chainId: chain, address })
      if (!this.addresses.anchor.has(id)) this.addresses.anchor.set(id, { chain, address, index })
      return
    }
    const last = role === 'deposit' ? this.lastBooks?.paymentBlock : this.lastBooks?.rewardBlock
    this.check('entries', !last || block > last.number, 'an address that hides earlier transfers')
    const token = role === 'deposit' ? this.genesis.payment : this.genesis.reward
    this.check('entries', token.chainId === chain, `an address of role ${role} on another chain`)
    if (!this.addresses[role].has(address)) this.addresses[role].set(address, entry)
    if (this.addresses.wallet.size <= MAX_WALLETS) return
    this.check('E7', false, 'more wallets than a books entry can list')
    throw new Stop()
  }

  /** A key is reached from the one before it. */
  async #readKey(entry: At<'key'>): Promise<void> {
    if (entry.use === 'proof') {
      this.replacedAccounts.add(toBase64(entry.old))
      return
    }
    const inForce = entry.use === 'log' ? this.logKeys.at(-1)! : this.receiptKeys.at(-1)!
    this.check('signature', equalBytes(entry.old, inForce.key), `a successor of a ${entry.use} key that was not in force`)
    if (entry.use === 'receipt') {
      this.receiptKeys.at(-1)!.until = entry.time
      this.receiptKeys.push({ key: entry.new!, until: null })
      return
    }
    const known = { text: this.text, genesisHash: this.genesisHash!, inForce: inForce.key }
    const isProven = await isSuccession(entry, known)
    this.logKeys.push({ since: entry.index + 1, key: entry.new!, isProven, text: this.text })
  }

  /** The end of the log. */
  close(): void {
    if (this.#phase !== 'facts' || this.corrections.length > 0)
      this.report.fail('entries', `the log ends after day ${this.lastDay?.day ?? '-'} without books`)
  }

  /** The log key in force at a size; undefined, and a failure, if it is not reached from genesis. */
  logKeyAt(size: number): Uint8Array | undefined {
    const steps = this.logKeys.filter(({ since }) => since <= size)
    const broken = steps.find(({ isProven }) => !isProven)
    if (broken)
      this.report.fail('signature', `the log key ${toBase64(broken.key)} replaced one that did not sign the change`, broken.text)
    return broken ? undefined : steps.at(-1)?.key
  }
}

const anchorId = ({ chainId, address }: { chainId: number; address: string }): string => `${chainId} ${address}`
