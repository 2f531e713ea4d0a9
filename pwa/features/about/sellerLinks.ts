import { t } from '#pwa/i18n/t.ts'
import type { PublicConfig } from '#shared/contract/settings.ts'

/** Links to the configured terms and policies. */
export function sellerLinks({ termsUrl, privacyUrl, refundsUrl, riskUrl }: NonNullable<PublicConfig['seller']>) {
  const links = [
    { url: termsUrl, label: t('Terms of sale') },
    { url: privacyUrl, label: t('Privacy') },
    { url: refundsUrl, label: t('Refunds') },
    { url: riskUrl, label: t('Risk') },
  ]
  return links.flatMap(({ url, label }) => (url ? [{ url, label }] : []))
}
