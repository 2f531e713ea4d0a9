import { equalBytes } from '#shared/register/bytes.ts'
import { bodyOf } from '#shared/register/entries.ts'
import type { Hex, Range } from '#shared/register/values.ts'

/** What opens the commitments of an account. */
export interface Opener {
  day(day: string): Uint8Array[]
  entry(index: number, body: Uint8Array): Uint8Array[]
  /** The hashes of the account in receipts, where the keys are known. */
  accounts?: ((emailHash: Uint8Array) => Uint8Array[]) | undefined
}

/** Whether the account's secrets open the commitment that an entry names as its owner. */
export function opensEntry(
  opener: Opener,
  { owner, index, text }: { owner: Uint8Array; index: number; text: string },
  commit: (secret: Uint8Array, body: Uint8Array) => Uint8Array,
): boolean {
  const body = bodyOf(text)
  return opener.entry(index, body).some((secret) => equalBytes(commit(secret, body), owner))
}

/** What one person knows and is shown. */
export interface AccountFacts {
  opener: Opener
  email: string
  /** Signed notes. */
  receipts: readonly string[]
  /** Texts that a wallet signed for withdrawals. */
  messages?: readonly string[]
  /** Addresses that pay or are paid. */
  wallets?: readonly Hex[]
  /** Payments, as transaction and ordinal. */
  transfers?: readonly string[]
  /** The numbers that the page shows. */
  numbers?: readonly Range[]
  /** As shown, as of the last books. */
  books?: { balance: bigint; debt: bigint } | null
}
