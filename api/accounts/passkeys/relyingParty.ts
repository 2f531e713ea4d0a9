import type { Config } from '#api/platform/config.ts'
import { siteUrl } from '#api/platform/mail/siteUrl.ts'

export type SiteConfig = Pick<Config, 'PUBLIC_URL' | 'PORT' | 'BRAND_NAME'>

/**
 * The site that passkeys are bound to: the configured one, by default localhost, where the embedded stack runs. Never what a request's
 * header names, because a forged host would let another site use the passkeys.
 */
export function relyingParty(config: SiteConfig): { id: string; origin: string; name: string } {
  const { hostname, origin } = new URL(siteUrl(config))
  return { id: hostname, origin, name: config.BRAND_NAME }
}
