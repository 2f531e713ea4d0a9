import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { demand } from './FormatError.ts'
import { sha256 } from './tree.ts'
import { publicKey } from './values.ts'

/** A key of signed notes (C2SP signed-note), Ed25519. */
export interface VerifierKey {
  name: string
  /** 01 and the public key. */
  key: Buffer
}

export interface SignerKey extends VerifierKey {
  privateKey: KeyObject
}

const MAX_SIGNATURES = 8
const KEY_ID_SIZE = 4
const signatureLine = /^— ([!-*,-~]+) ([A-Za-z0-9+/=]+)$/
const SIGNATURE_SIZE = 64
// The DER forms of RFC 8410 before the 32 bytes of a key.
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

export function signerOf(name: string, seed: Uint8Array): SignerKey {
  demand(seed.length === 32, 'A seed has 32 bytes')
  const privateKey = createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return { name, key: Buffer.concat([Buffer.of(1), der.subarray(-32)]), privateKey }
}

const keyIdOf = ({ name, key }: VerifierKey): Buffer => sha256(Buffer.from(`${name}\n`), key).subarray(0, KEY_ID_SIZE)

/** The text form of a key: name, id and key, joined by plus signs. */
export const formatKey = (key: VerifierKey): string => `${key.name}+${keyIdOf(key).toString('hex')}+${publicKey.write(key.key)}`

/** @throws {FormatError} */
export function parseKey(text: string): VerifierKey {
  const [, name, , key] = /^([!-*,-~]+)\+([0-9a-f]{8})\+(.+)$/s.exec(text) ?? []
  demand(name && key, 'This is no key')
  const parsed = { name, key: publicKey.read(key) }
  demand(formatKey(parsed) === text, 'The id belongs to another key')
  return parsed
}

export const signBytes = ({ privateKey }: SignerKey, bytes: Uint8Array): Buffer => sign(null, bytes, privateKey)

/** @param key 01 and the public key. */
export function isSignedBy(key: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  const der = Buffer.concat([PUBLIC_PREFIX, key.subarray(1)])
  return verify(null, bytes, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature)
}

/** @param text ends with a line feed and has no empty line. */
export function signNote(text: string, ...signers: readonly SignerKey[]): string {
  const lines = signers.map((signer) => {
    const signature = Buffer.concat([keyIdOf(signer), signBytes(signer, Buffer.from(text))])
    return `— ${signer.name} ${signature.toString('base64')}\n`
  })
  return `${text}\n${lines.join('')}`
}

/**
 * The text of a note, and those of the given keys that signed it.
 *
 * @throws {FormatError} if it is no note, or a signature of one of the keys is wrong.
 */
export function openNote(
  note: string,
  { keys, maxBytes }: { keys: readonly VerifierKey[]; maxBytes: number },
): { text: string; signedBy: VerifierKey[] } {
  demand(note.length <= maxBytes && Buffer.byteLength(note) <= maxBytes, 'The note is too long')
  const gap = note.lastIndexOf('\n\n')
  demand(gap > 0 && note.endsWith('\n'), 'The note has no signatures')
  const text = note.slice(0, gap + 1)
  demand(/^[\n -~]*$/.test(text) && !text.includes('\n\n'), "The note's text has other bytes than printable ASCII in lines")
  const lines = note.slice(gap + 2, -1).split('\n')
  demand(lines.length <= MAX_SIGNATURES, 'The note has too many signatures')
  const signedBy = new Set<VerifierKey>()
  for (const line of lines) {
    const [, name, encoded] = signatureLine.exec(line) ?? []
    demand(name && encoded, 'A line of signatures is none')
    const bytes = Buffer.from(encoded, 'base64')
    // Other keys may have signatures of another length.
    demand(bytes.length > KEY_ID_SIZE && bytes.toString('base64') === encoded, 'A signature is not in base64')
    for (const key of keys) {
      if (key.name !== name || !keyIdOf(key).equals(bytes.subarray(0, KEY_ID_SIZE))) continue
      const signature = bytes.subarray(KEY_ID_SIZE)
      const isValid = signature.length === SIGNATURE_SIZE && isSignedBy(key.key, Buffer.from(text), signature)
      demand(isValid, `The signature of ${name} is wrong`)
      signedBy.add(key)
    }
  }
  return { text, signedBy: [...signedBy] }
}
