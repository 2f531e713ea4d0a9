import { t } from '#pwa/i18n/t.ts'
import { readTransactionHash } from '#pwa/lib/readTransactionHash.ts'

/** Why a text has no transaction hash, in the specification's words. */
export function findHashProblem(text: string): string | undefined {
  if (!text.trim()) return t('please enter the transaction hash')
  return readTransactionHash(text) ? undefined : t('not a valid transaction hash format, 0x + 64 characters')
}
