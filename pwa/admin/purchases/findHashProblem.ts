import { transactionHash } from '#shared/wire/address.ts'

/** What stands against a text as the hash of a transaction, in the words of section 5. */
export function findHashProblem(text: string): string | undefined {
  if (!text.trim()) return 'please enter the transaction hash'
  return transactionHash.safeParse(text.trim()).success ? undefined : 'not a valid transaction hash format, 0x + 64 characters'
}
