import { t } from '#pwa/i18n/t.ts'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { useHeld } from '../purchase/useHeld.ts'

/** To the purchase page. With nodes held and unpaid that is the way to their payment, so nobody buys twice by accident. */
export const BuyLink = () => <ButtonLink to="/purchase">{t(useHeld() ? 'Continue with the payment' : 'Buy nodes')}</ButtonLink>
