import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { toBase64 } from '#shared/register/bytes.ts'
import { demand } from '#shared/register/FormatError.ts'
import { keyIdOf, type VerifierKey } from '#shared/register/signedNotes.ts'

export interface SignerKey extends VerifierKey {
  privateKey: KeyObject
}

/** The DER form of RFC 8410 before the 32 bytes of a key. */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

export function signerOf(name: string, seed: Uint8Array): SignerKey {
  demand(seed.length === 32, 'A seed has 32 bytes')
  const privateKey = createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return { name, key: Uint8Array.of(1, ...der.subarray(-32)), privateKey }
}

export const signBytes = ({ privateKey }: SignerKey, bytes: Uint8Array): Uint8Array =>
  new Uint8Array(sign(null, bytes, privateKey))

/** @param text ends with a line feed and has no empty line. */
export function signNote(text: string, ...signers: readonly SignerKey[]): string {
  const lines = signers.map((signer) => {
    const signature = Buffer.concat([keyIdOf(signer), signBytes(signer, Buffer.from(text))])
    return `— ${signer.name} ${toBase64(signature)}\n`
  })
  return `${text}\n${lines.join('')}`
}
