import { concatBytes } from '@noble/hashes/utils.js'
import { utf8 } from './bytes.ts'

/** What the old key of the log signs. @param body the entry's bytes before its last line. */
export const keyChangeBytes = (genesisHash: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> =>
  concatBytes(utf8('xcr-register/key/v1\n'), genesisHash, body)
