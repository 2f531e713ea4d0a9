import { transactionHash } from '#shared/wire/address.ts'
import { t } from '#pwa/i18n/t.ts'

/** Why a text is not a valid transaction hash, in the specification's words. */
export function findHashProblem(text: string): string | undefined {
  if (!text.trim()) return t('please enter the transaction hash')
  return transactionHash.safeParse(text.trim()).success ? undefined : t('not a valid transaction hash format, 0x + 64 characters')
}
