import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { toBase64 } from '#shared/register/bytes.ts'
import { demand } from '#shared/register/FormatError.ts'
import { keyIdOf, readNote, type VerifierKey } from '#shared/register/signedNotes.ts'

export interface SignerKey extends VerifierKey {
  privateKey: KeyObject
}

// The DER forms of RFC 8410 before the 32 bytes of a key.
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

export function signerOf(name: string, seed: Uint8Array): SignerKey {
  demand(seed.length === 32, 'A seed has 32 bytes')
  const privateKey = createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return { name, key: Uint8Array.of(1, ...der.subarray(-32)), privateKey }
}

export const signBytes = ({ privateKey }: SignerKey, bytes: Uint8Array): Uint8Array =>
  new Uint8Array(sign(null, bytes, privateKey))

/** @param key 01 and the public key. */
export function isSignedBy(key: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  const der = Buffer.concat([PUBLIC_PREFIX, key.subarray(1)])
  return verify(null, bytes, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature)
}

/** @param text ends with a line feed and has no empty line. */
export function signNote(text: string, ...signers: readonly SignerKey[]): string {
  const lines = signers.map((signer) => {
    const signature = Buffer.concat([keyIdOf(signer), signBytes(signer, Buffer.from(text))])
    return `— ${signer.name} ${toBase64(signature)}\n`
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
  options: { keys: readonly VerifierKey[]; maxBytes: number },
): { text: string; signedBy: VerifierKey[] } {
  const { text, signatures } = readNote(note, options)
  for (const { key, signature } of signatures)
    demand(isSignedBy(key.key, Buffer.from(text), signature), `The signature of ${key.name} is wrong`)
  return { text, signedBy: [...new Set(signatures.map(({ key }) => key))] }
}
