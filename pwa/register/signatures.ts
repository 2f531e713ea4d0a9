import { type Checkpoint, MAX_CHECKPOINT, parseCheckpoint } from '#shared/register/checkpoint.ts'
import { demand } from '#shared/register/FormatError.ts'
import { equalBytes, utf8 } from '#shared/register/bytes.ts'
import { bodyOf } from '#shared/register/entries.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { keyChangeBytes } from '#shared/register/keyChange.ts'
import { readNote, type VerifierKey } from '#shared/register/signedNotes.ts'

/** Whether a key (01 and the public key) signed these bytes with Ed25519. */
export async function isSignedBy(key: Uint8Array, data: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const publicKey = Uint8Array.from(key.subarray(1))
  const native = await verifyNatively(publicKey, data, signature)
  if (native !== undefined) return native
  const { ed25519 } = await import('@noble/curves/ed25519.js')
  try {
    return ed25519.verify(signature, data, publicKey)
  } catch {
    // Bytes that are no point of the curve.
    return false
  }
}

/** Undefined where the browser has no Ed25519: many WebViews, and pages without HTTPS. */
async function verifyNatively(publicKey: BufferSource, data: Uint8Array, signature: Uint8Array): Promise<boolean | undefined> {
  try {
    const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify'])
    return await crypto.subtle.verify('Ed25519', key, Uint8Array.from(signature), Uint8Array.from(data))
  } catch {
    return undefined
  }
}

/** The note's text, and those of the keys that signed it. @throws {FormatError} if a signature of one of them is wrong. */
export async function openNote<Key extends VerifierKey>(
  note: string,
  options: { keys: readonly Key[]; maxBytes: number },
): Promise<{ text: string; signedBy: Set<Key> }> {
  const { text, signatures } = readNote(note, options)
  for (const { key, signature } of signatures)
    demand(await isSignedBy(key.key, utf8(text), signature), `The signature of ${key.name} is wrong`)
  return { text, signedBy: new Set(signatures.map(({ key }) => key)) }
}

/** What a checkpoint says; who signed it is not known yet. @throws {FormatError} */
export function readCheckpoint(note: string): Checkpoint {
  const { text } = readNote(note, { keys: [], maxBytes: MAX_CHECKPOINT })
  return parseCheckpoint(text, text.slice(0, text.indexOf('\n')))
}

/** Whether the log is the site's own. A demo may run under any address; its days and times prove nothing anyway. */
export const isOfSite = ({ clock, origin }: EntryOf<'genesis'>, host: string): boolean =>
  clock === 'demo' || origin === `${host}/register`

/** Whether the key that was in force signed the entry which replaces it (format.md §5.1). */
export const isSuccession = async (
  { old, proof }: EntryOf<'key'>,
  { text, genesisHash, inForce }: { text: string; genesisHash: Uint8Array; inForce: Uint8Array },
): Promise<boolean> =>
  equalBytes(old, inForce) && proof !== null && (await isSignedBy(old, keyChangeBytes(genesisHash, bodyOf(text)), proof))
