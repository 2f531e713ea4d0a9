import { formatReceipt, type Receipt } from '#shared/register/receipts.ts'
import { type SignerKey, signNote } from './signedNotes.ts'

/** @throws {FormatError} if a reader would refuse it. */
export const signReceipt = (receipt: Receipt, signer: SignerKey): string => signNote(formatReceipt(receipt), signer)
