import { bodyOf, encodeSealed, type Unsealed } from './entries.ts'
import type { EntryOf } from './entryForms.ts'
import { isSignedBy, signBytes, type SignerKey } from './signedNotes.ts'

const signedBytes = (genesisHash: Uint8Array, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from('xcr-register/key/v1\n'), genesisHash, body])

/** Encodes the change of the log's key, signed by the old key. @param old null if it is lost. */
export const encodeLogKeyChange = (
  change: Unsealed<'key'>,
  { old, genesisHash }: { old: SignerKey | null; genesisHash: Uint8Array },
): string => encodeSealed(change, (body) => old && signBytes(old, signedBytes(genesisHash, body)))

/** Whether the old key signed the change. @param text the entry's bytes. */
export const isChangeSigned = (text: string, { old, proof }: EntryOf<'key'>, genesisHash: Uint8Array): boolean =>
  proof !== null && isSignedBy(old, signedBytes(genesisHash, bodyOf(text)), proof)
