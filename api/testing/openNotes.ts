import { createPublicKey, verify } from 'node:crypto'
import { type Checkpoint, MAX_CHECKPOINT, parseCheckpoint } from '#shared/register/checkpoint.ts'
import { bodyOf } from '#shared/register/entries.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { demand } from '#shared/register/FormatError.ts'
import { keyChangeBytes } from '#shared/register/keyChange.ts'
import { MAX_TEXT } from '#shared/register/lines.ts'
import { parseReceipt, type Receipt } from '#shared/register/receipts.ts'
import { formatKey, readNote, type VerifierKey } from '#shared/register/signedNotes.ts'
import { BLOCK_SIZE } from '#shared/register/tree.ts'
import { publicKey } from '#shared/register/values.ts'

// Reads what the register signs and publishes, as its readers do.

/** The DER form of RFC 8410 before the 32 bytes of a key. */
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/** @param key 01 and the public key. */
function isSignedBy(key: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  const der = Buffer.concat([PUBLIC_PREFIX, key.subarray(1)])
  return verify(null, bytes, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature)
}

/**
 * The text of a note, and those of the given keys that signed it.
 *
 * @throws {FormatError} if it is no note, or a signature of one of the keys is wrong.
 */
export function openNote(
  note: string,
  options: { keys: readonly VerifierKey[]; maxBytes: number },
): { text: string; signedBy: VerifierKey[] } {
  const { text, signatures } = readNote(note, options)
  for (const { key, signature } of signatures)
    demand(isSignedBy(key.key, Buffer.from(text), signature), `The signature of ${key.name} is wrong`)
  return { text, signedBy: [...new Set(signatures.map(({ key }) => key))] }
}

/** @throws {FormatError} unless it is a checkpoint of this origin, signed by the key. */
export function openCheckpoint(note: string, key: VerifierKey): Checkpoint {
  const { text, signedBy } = openNote(note, { keys: [key], maxBytes: MAX_CHECKPOINT })
  const checkpoint = parseCheckpoint(text, key.name)
  demand(signedBy.length > 0, 'The checkpoint is not signed by the key in force')
  return checkpoint
}

/** @throws {FormatError} unless it is a receipt signed by one of the keys. */
export function openReceipt(note: string, keys: readonly VerifierKey[]): Receipt {
  const { text, signedBy } = openNote(note, { keys, maxBytes: MAX_TEXT })
  const receipt = parseReceipt(text)
  demand(signedBy.length > 0, 'The receipt is not signed by a key of the log')
  return receipt
}

/** Whether the old key signed the change of the log's key. @param text the entry's bytes. */
export const isChangeSigned = (text: string, { old, proof }: EntryOf<'key'>, genesisHash: Uint8Array): boolean =>
  proof !== null && isSignedBy(old, keyChangeBytes(genesisHash, bodyOf(text)), proof)

/** @throws {FormatError} */
export function parseKey(text: string): VerifierKey {
  const [, name, , key] = /^([!-*,-~]+)\+([0-9a-f]{8})\+(.+)$/s.exec(text) ?? []
  demand(name && key, 'This is no key')
  const parsed = { name, key: publicKey.read(key) }
  demand(formatKey(parsed) === text, 'The id belongs to another key')
  return parsed
}

/** The entries of a log file. @throws {FormatError} */
export function splitLogFile(file: string): string[] {
  if (file === '') return []
  demand(file.endsWith('\n\n'), 'The file ends within an entry')
  const entries = file
    .slice(0, -2)
    .split('\n\n')
    .map((entry) => `${entry}\n`)
  demand(entries.length <= BLOCK_SIZE, 'The file has too many entries')
  return entries
}
