import { type Checkpoint, formatCheckpoint } from '#shared/register/checkpoint.ts'
import { type SignerKey, signNote } from './signedNotes.ts'

/** @param signers the key in force; after a change of the key also the one before. */
export const signCheckpoint = (checkpoint: Checkpoint, ...signers: readonly SignerKey[]): string =>
  signNote(formatCheckpoint(checkpoint), ...signers)
