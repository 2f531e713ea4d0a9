import { transactionHash } from '#shared/wire/address.ts'
import { t } from '#pwa/i18n/t.ts'

/** What stands against a text as the hash of a transaction, in the words of the specification. */
export function findHashProblem(text: string): string | undefined {
  if (!text.trim()) return t('please enter the transaction hash')
  return transactionHash.safeParse(text.trim()).success ? undefined : t('not a valid transaction hash format, 0x + 64 characters')
}
