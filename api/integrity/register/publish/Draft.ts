import { encodeEntry, encodeSealed, type Unsealed } from '#shared/register/entries.ts'
import type { Entry, EntryOf } from '#shared/register/entryForms.ts'
import { FormatError } from '#shared/register/FormatError.ts'
import { entryCommitment, entrySecret, type Identity, payoutCommitment } from '#shared/register/secrets.ts'
import { leafHash } from '#shared/register/tree.ts'
import type { Hex } from '#shared/register/values.ts'

type Plain = Exclude<Entry, { kind: 'deposit' | 'payout' | 'grant' | 'key' }>
type Grouped = Unsealed<'deposit' | 'grant'>

/** The payment that a payout's last line commits to. */
export interface PaymentTerms {
  recipient: Hex
  /** Null if the signed message is lost. */
  messageHash: Uint8Array | null
}

interface Common {
  /** What it publishes, once. */
  subject: string
  /** Real time. */
  time: Date
}

/** A fact that is not in the log yet. */
export type Fact = Common &
  (
    | { entry: Plain | EntryOf<'key'> }
    /** `identity`: the entry's transfer. `purchaseId`: the purchase whose group it names. `userId`: null if no account is known. */
    | { entry: Grouped; identity: string | null; purchaseId: string | null; userId: string | null }
    | { entry: Unsealed<'payout'>; identity: string; userId: string | null; terms: PaymentTerms | null }
  )

export interface DraftEntry {
  index: number
  kind: string
  text: string
  leafHash: Uint8Array
  subject: string | null
  identity: string | null
  userId: string | null
}

interface DraftOptions {
  /** The number of entries before it. */
  size: number
  /** The ids of the groups that are in the log, by purchase. */
  groups: ReadonlyMap<string, number>
  identities: ReadonlyMap<string, Identity>
}

/** The entries that a publication appends. It numbers the groups in the order of their first entries. */
export class Draft {
  readonly entries: DraftEntry[] = []
  readonly newGroups = new Map<string, number>()
  readonly #options: DraftOptions

  constructor(options: DraftOptions) {
    this.#options = options
  }

  /** @throws {FormatError} if a reader would refuse it. */
  append(fact: Fact): DraftEntry {
    try {
      return this.#append(fact)
    } catch (error) {
      throw error instanceof FormatError ? new FormatError(`${fact.subject}: ${error.message}`) : error
    }
  }

  #append(fact: Fact): DraftEntry {
    const { subject } = fact
    if (!('userId' in fact))
      return this.#push(fact.entry.kind, encodePlain(fact.entry), { subject, identity: null, userId: null })
    const { identity, userId } = fact
    const owner = userId === null ? null : this.#options.identities.get(userId)
    if (owner === undefined) throw new Error(`The account ${userId} has no proof key.`)
    if (!('purchaseId' in fact)) {
      const { entry, terms } = fact
      const text = encodeSealed(entry, (body) => owner && terms && payoutCommitment({ ...sealOf(owner, body), ...terms }))
      return this.#push(entry.kind, text, { subject, identity, userId })
    }
    const { purchaseId } = fact
    const entry = { ...fact.entry, group: purchaseId === null ? null : this.#groupOf(purchaseId) }
    const text = encodeSealed(entry, (body) => owner && entryCommitment(sealOf(owner, body)))
    return this.#push(entry.kind, text, { subject, identity, userId })
  }

  #groupOf(purchaseId: string): number {
    const known = this.#options.groups.get(purchaseId) ?? this.newGroups.get(purchaseId)
    if (known !== undefined) return known
    const id = this.#options.groups.size + this.newGroups.size + 1
    this.newGroups.set(purchaseId, id)
    return id
  }

  #push(kind: string, text: string, about: Pick<DraftEntry, 'subject' | 'identity' | 'userId'>): DraftEntry {
    const entry = { index: this.#options.size + this.entries.length, kind, text, leafHash: leafHash(Buffer.from(text)), ...about }
    this.entries.push(entry)
    return entry
  }
}

const sealOf = ({ proofKey, emailHash }: Identity, body: Uint8Array) => ({
  secret: entrySecret(proofKey, body),
  body,
  emailHash,
})

const encodePlain = (entry: Plain | EntryOf<'key'>): string => encodeEntry(entry)

/** Orders facts by time. The sort is stable, so facts of one time keep the order in which they were found. */
export const oldestFirst = (facts: readonly Fact[]): Fact[] => facts.toSorted((a, b) => a.time.getTime() - b.time.getTime())
