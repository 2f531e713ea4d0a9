import { encodeSealed, type Unsealed } from '#shared/register/entries.ts'
import { keyChangeBytes } from '#shared/register/keyChange.ts'
import { signBytes, type SignerKey } from './signedNotes.ts'

/** Encodes the change of the log's key, signed by the old key. @param old null if it is lost. */
export const encodeLogKeyChange = (
  change: Unsealed<'key'>,
  { old, genesisHash }: { old: SignerKey | null; genesisHash: Uint8Array },
): string => encodeSealed(change, (body) => old && signBytes(old, keyChangeBytes(genesisHash, body)))
