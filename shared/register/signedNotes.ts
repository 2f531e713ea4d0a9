import { bytesToHex } from '@noble/hashes/utils.js'
import { equalBytes, fromBase64, toBase64, utf8 } from './bytes.ts'
import { demand } from './FormatError.ts'
import { sha256 } from './tree.ts'
import { publicKey } from './values.ts'

/** A key of signed notes (C2SP signed-note), Ed25519. */
export interface VerifierKey {
  name: string
  /** 01 and the public key. */
  key: Uint8Array
}

export interface NoteSignature<Key extends VerifierKey> {
  key: Key
  /** 64 bytes. */
  signature: Uint8Array
}

const MAX_SIGNATURES = 8
const KEY_ID_SIZE = 4
const signatureLine = /^— ([!-*,-~]+) ([A-Za-z0-9+/=]+)$/
const SIGNATURE_SIZE = 64

export const keyIdOf = ({ name, key }: VerifierKey): Uint8Array => sha256(utf8(`${name}\n`), key).subarray(0, KEY_ID_SIZE)

/** The text form of a key: name, id and key, joined by plus signs. */
export const formatKey = (key: VerifierKey): string => `${key.name}+${bytesToHex(keyIdOf(key))}+${publicKey.write(key.key)}`

/**
 * The text of a note, and the signatures by the given keys. They are not verified here: a server does so at once, a
 * browser asynchronously. A note with a wrong one among them is no note.
 *
 * @throws {FormatError} if it is no note.
 */
export function readNote<Key extends VerifierKey>(
  note: string,
  { keys, maxBytes }: { keys: readonly Key[]; maxBytes: number },
): { text: string; signatures: NoteSignature<Key>[] } {
  demand(note.length <= maxBytes && utf8(note).length <= maxBytes, 'The note is too long')
  const gap = note.lastIndexOf('\n\n')
  demand(gap > 0 && note.endsWith('\n'), 'The note has no signatures')
  const text = note.slice(0, gap + 1)
  demand(/^[\n -~]*$/.test(text) && !text.includes('\n\n'), "The note's text has other bytes than printable ASCII in lines")
  const lines = note.slice(gap + 2, -1).split('\n')
  demand(lines.length <= MAX_SIGNATURES, 'The note has too many signatures')
  const signatures: NoteSignature<Key>[] = []
  for (const line of lines) {
    const [, name, encoded] = signatureLine.exec(line) ?? []
    demand(name && encoded, 'A line of signatures is none')
    const bytes = fromBase64(encoded)
    // Other keys may have signatures of another length.
    demand(bytes && bytes.length > KEY_ID_SIZE && toBase64(bytes) === encoded, 'A signature is not in base64')
    for (const key of keys) {
      if (key.name !== name || !equalBytes(keyIdOf(key), bytes.subarray(0, KEY_ID_SIZE))) continue
      const signature = bytes.subarray(KEY_ID_SIZE)
      demand(signature.length === SIGNATURE_SIZE, `The signature of ${name} is wrong`)
      signatures.push({ key, signature })
    }
  }
  return { text, signatures }
}
