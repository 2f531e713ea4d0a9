import { bytesToHex } from '@noble/hashes/utils.js'
import { sha256 } from './tree.ts'

/** SHA-256 of the runtime code of RegisterAnchor.sol, the publisher's 20 bytes replaced by zeros (format.md §9). */
const ANCHOR_CODE = 'b2d85759bcb94ebd8804d3d0a3be6daf2d90b6363f83bab5fa0fbf0a53d560e0'

/** Whether this is the runtime code of an anchor contract that nobody else than the publisher can write into. */
export function isAnchorCode(code: Uint8Array, publisher: Uint8Array): boolean {
  const masked = Uint8Array.from(code)
  for (let at = 0; at + publisher.length <= masked.length; at++)
    if (publisher.every((byte, offset) => masked[at + offset] === byte)) masked.fill(0, at, at + publisher.length)
  return publisher.length === 20 && bytesToHex(sha256(masked)) === ANCHOR_CODE
}
