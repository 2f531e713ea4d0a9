import { demand } from './FormatError.ts'
import { openNote, type SignerKey, signNote, type VerifierKey } from './signedNotes.ts'
import { count, hash } from './values.ts'

export interface Checkpoint {
  origin: string
  /** The number of entries. */
  size: number
  root: Buffer
}

export const MAX_CHECKPOINT = 4_096

/** @param signers the key in force; after a change of the key also the one before. */
export const signCheckpoint = ({ origin, size, root }: Checkpoint, ...signers: readonly SignerKey[]): string =>
  signNote(`${origin}\n${count.write(size)}\n${hash.write(root)}\n`, ...signers)

/** @throws {FormatError} unless it is a checkpoint of this origin, signed by the key. */
export function openCheckpoint(note: string, key: VerifierKey): Checkpoint {
  const { text, signedBy } = openNote(note, { keys: [key], maxBytes: MAX_CHECKPOINT })
  const [origin, size, root, ...rest] = text.slice(0, -1).split('\n')
  demand(origin === key.name && size !== undefined && root !== undefined && rest.length === 0, 'This is no checkpoint of the log')
  const checkpoint = { origin, size: count.read(size), root: hash.read(root) }
  demand(signedBy.length > 0, 'The checkpoint is not signed by the key in force')
  return checkpoint
}
