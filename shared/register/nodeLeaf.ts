import { equalBytes } from './bytes.ts'
import { demand } from './FormatError.ts'

export const LEAF_SIZE = 52

/** A state's or a kind's position is its byte. */
export const nodeStates = ['free', 'waiting', 'active', 'frozen'] as const
export const nodeKinds = ['none', 'paid', 'bonus', 'granted'] as const
export type NodeState = (typeof nodeStates)[number]
export type NodeKind = (typeof nodeKinds)[number]

export interface NodeLeaf {
  state: NodeState
  kind: NodeKind
  /** 32 bytes: opens to the owner on one day. Zero if the node is free. */
  commitment: Uint8Array
  /** XCR earned since the first day, in the smallest unit. */
  earned: bigint
}

const VERSION = 1
const [NO_OWNER, LOW_HALF] = [new Uint8Array(32), 2n ** 64n - 1n]

const viewOf = ({ buffer, byteOffset, length }: Uint8Array) => new DataView(buffer, byteOffset, length)

export const freeLeaf: NodeLeaf = { state: 'free', kind: 'none', commitment: NO_OWNER, earned: 0n }

/** @throws {FormatError} */
export function encodeLeaf(leaf: NodeLeaf): Uint8Array {
  const { state, kind, commitment, earned } = leaf
  checkLeaf(leaf)
  const bytes = new Uint8Array(LEAF_SIZE)
  bytes[0] = VERSION
  bytes[1] = nodeStates.indexOf(state)
  bytes[2] = nodeKinds.indexOf(kind)
  bytes.set(commitment, 4)
  const view = viewOf(bytes)
  view.setBigUint64(36, earned >> 64n)
  view.setBigUint64(44, earned & LOW_HALF)
  return bytes
}

/** @throws {FormatError} */
export function parseLeaf(bytes: Uint8Array): NodeLeaf {
  demand(bytes.length === LEAF_SIZE && bytes[0] === VERSION && bytes[3] === 0, 'These bytes are no leaf')
  const [state, kind] = [nodeStates[bytes[1]!], nodeKinds[bytes[2]!]]
  demand(state && kind, 'The leaf has an unknown state or kind')
  const view = viewOf(bytes)
  const earned = (view.getBigUint64(36) << 64n) | view.getBigUint64(44)
  const leaf = { state, kind, commitment: bytes.subarray(4, 36), earned }
  checkLeaf(leaf)
  return leaf
}

function checkLeaf({ state, kind, commitment, earned }: NodeLeaf): void {
  demand(commitment.length === 32, 'A commitment has 32 bytes')
  demand(earned >= 0n && earned < 2n ** 128n, 'The earnings do not fit')
  const isFree = state === 'free'
  const hasOwner = !equalBytes(NO_OWNER, commitment)
  demand(isFree ? kind === 'none' && !hasOwner && earned === 0n : kind !== 'none' && hasOwner, 'The leaf contradicts its state')
}
