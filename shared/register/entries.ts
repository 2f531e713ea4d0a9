import { toBase64, utf8 } from './bytes.ts'
import { entryChecks } from './entryChecks.ts'
import { type Entry, entryForms, type EntryKind, type EntryOf } from './entryForms.ts'
import { demand } from './FormatError.ts'
import { type LineForm, MAX_TEXT, splitHead } from './lines.ts'

/** The kinds whose last line is computed from the lines above it: a commitment to the owner, or a signature. */
type SealedKind = 'deposit' | 'payout' | 'grant' | 'key'
const seals = { deposit: 'owner', payout: 'owner', grant: 'owner', key: 'proof' } as const
/** An entry without its last line. */
export type Unsealed<Kind extends SealedKind> = { [Each in Kind]: Omit<EntryOf<Each>, (typeof seals)[Each]> }[Kind]

/** The entry's bytes as text. @throws {FormatError} if a reader would refuse it. */
export function encodeEntry(entry: Entry): string {
  const text = `${headOf(entry.kind)}\n${formOf(entry.kind).write(entry)}`
  demand(text.length <= MAX_TEXT, 'The entry is too long')
  check(entry)
  return text
}

/**
 * Encodes an entry whose last line depends on the lines above it.
 *
 * @param seal returns the last line's value from the bytes before it; null for none.
 */
export function encodeSealed(entry: Unsealed<SealedKind>, seal: (body: Uint8Array) => Uint8Array | null): string {
  const { kind } = entry
  const body = `${headOf(kind)}\n${formOf(kind).write(entry, { withoutLast: true })}`
  const sealed = seal(utf8(body))
  const text = `${body}${seals[kind]} ${sealed ? toBase64(sealed) : '-'}\n`
  // Also checks the seal's length and the entry as a whole.
  parseEntry(text)
  return text
}

/** The part of a sealed entry that its last line binds. */
export const bodyOf = (text: string): Uint8Array => utf8(text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1))

/** @throws {FormatError} unless the text is exactly one entry. */
export function parseEntry(text: string): Entry {
  const { head, rest } = splitHead(text)
  const kind = kindsByHead.get(head)
  demand(kind, `${head.slice(0, 80)} is no kind of entry`)
  const entry = { kind, ...formOf(kind).read(rest) } as Entry
  check(entry)
  return entry
}

const headOf = (kind: EntryKind): string => `${kind}/v1`
const kindsByHead = new Map(Object.keys(entryForms).map((kind) => [headOf(kind as EntryKind), kind as EntryKind]))
/** The form of a kind that is known only at run time. The kind of an entry and of its form are the same. */
const formOf = (kind: EntryKind): LineForm<object> => entryForms[kind]
const check = (entry: Entry): void => (entryChecks[entry.kind] as ((entry: Entry) => void) | undefined)?.(entry)
