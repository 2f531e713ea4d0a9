import { bodyOf, encodeSealed, type Unsealed } from '#shared/register/entries.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { keyChangeBytes } from '#shared/register/keyChange.ts'
import { isSignedBy, signBytes, type SignerKey } from './signedNotes.ts'

/** Encodes the change of the log's key, signed by the old key. @param old null if it is lost. */
export const encodeLogKeyChange = (
  change: Unsealed<'key'>,
  { old, genesisHash }: { old: SignerKey | null; genesisHash: Uint8Array },
): string => encodeSealed(change, (body) => old && signBytes(old, keyChangeBytes(genesisHash, body)))

/** Whether the old key signed the change. @param text the entry's bytes. */
export const isChangeSigned = (text: string, { old, proof }: EntryOf<'key'>, genesisHash: Uint8Array): boolean =>
  proof !== null && isSignedBy(old, keyChangeBytes(genesisHash, bodyOf(text)), proof)
