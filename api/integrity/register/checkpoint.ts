import { type Checkpoint, formatCheckpoint, MAX_CHECKPOINT, parseCheckpoint } from '#shared/register/checkpoint.ts'
import { demand } from '#shared/register/FormatError.ts'
import type { VerifierKey } from '#shared/register/signedNotes.ts'
import { openNote, type SignerKey, signNote } from './signedNotes.ts'

/** @param signers the key in force; after a change of the key also the one before. */
export const signCheckpoint = (checkpoint: Checkpoint, ...signers: readonly SignerKey[]): string =>
  signNote(formatCheckpoint(checkpoint), ...signers)

/** @throws {FormatError} unless it is a checkpoint of this origin, signed by the key. */
export function openCheckpoint(note: string, key: VerifierKey): Checkpoint {
  const { text, signedBy } = openNote(note, { keys: [key], maxBytes: MAX_CHECKPOINT })
  const checkpoint = parseCheckpoint(text, key.name)
  demand(signedBy.length > 0, 'The checkpoint is not signed by the key in force')
  return checkpoint
}
