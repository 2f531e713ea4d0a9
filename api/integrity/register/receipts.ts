import { demand } from '#shared/register/FormatError.ts'
import { MAX_TEXT } from '#shared/register/lines.ts'
import { formatReceipt, parseReceipt, type Receipt } from '#shared/register/receipts.ts'
import type { VerifierKey } from '#shared/register/signedNotes.ts'
import { openNote, type SignerKey, signNote } from './signedNotes.ts'

/** @throws {FormatError} if a reader would refuse it. */
export const signReceipt = (receipt: Receipt, signer: SignerKey): string => signNote(formatReceipt(receipt), signer)

/** @throws {FormatError} unless it is a receipt signed by one of the keys. */
export function openReceipt(note: string, keys: readonly VerifierKey[]): Receipt {
  const { text, signedBy } = openNote(note, { keys, maxBytes: MAX_TEXT })
  const receipt = parseReceipt(text)
  demand(signedBy.length > 0, 'The receipt is not signed by a key of the log')
  return receipt
}
